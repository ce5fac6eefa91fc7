# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034 # what is set here is for the script that reads this
# Sourced by the stories, which are called as `sh tune.sh FOLDER [--short] [OPTION...]`: reads these words, and has what stories share.
# FOLDER takes everything that a story makes; options are those of tune_command. Exit status 77 where a package is missing or another
# version than the story's is installed: nothing is installed from here.
if [ $# -lt 1 ] || [ "${1#-}" != "$1" ]; then
    echo "usage: sh $0 FOLDER [--short] [OPTION of tune_command...]" >&2
    exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
came_from=$(pwd)
mkdir -p "$1"
cd "$1" || exit 2
folder=$(pwd)
shift
short=no
if [ "${1-}" = --short ]; then
    short=yes
    shift
fi

# has OPTION WORD...: whether it is one of the words, so that a story's own value gives way to yours.
has() {
    option=$1
    shift
    case " $* " in *" $option "* | *" $option="*) ;; *) return 1 ;; esac
}

lacks=''
# wants PROGRAM PACKAGE WORDS: a program in the PATH; what is missing is named by wants_end.
wants() {
    command -v "$1" >/dev/null 2>&1 || lacks="$lacks
  $3 (Debian: $2)"
}
# wants_library NAME PACKAGE WORDS
wants_library() {
    [ -n "$(find /usr/lib /usr/lib64 /usr/local/lib -maxdepth 3 -name "$1" 2>/dev/null | head -n 1)" ] || lacks="$lacks
  $3 (Debian: $2)"
}
# wants_end [alone]: alone, where the story needs no tune_command.
wants_end() {
    [ "${1-}" = alone ] || command -v tune_command >/dev/null 2>&1 || lacks="$lacks
  tune_command in the PATH (the package tunekit-tools, or build/<preset>/tools of a build)"
    [ -n "$lacks" ] || return 0
    echo "this story needs what this machine lacks:$lacks" >&2
    exit 77
}
# wants_version WHAT HAS WANT PACKAGE: HAS begins with WANT.
wants_version() {
    case $2 in "$3" | "$3".* | "$3"[!0-9.]*) return 0 ;; esac
    echo "this story is of $1 $3, this machine has ${2:-another} (Debian 12: $4)" >&2
    exit 77
}

# here_and_now: the machine, the day, and what else it does.
here_and_now() {
    awk -F'\t*: *' '/^processor/ { ++n } { of[$1] = $2 }
        END { printf "%d processors, %s (family.model.stepping %s.%s.%s)", n, of["model name"], of["cpu family"], of["model"], of["stepping"] }' /proc/cpuinfo
    echo ", $(date -u +%F), load $(cut -d' ' -f1 /proc/loadavg)"
}

# gain HOW FILE I J: how many times as much column I of FILE costs as column J, with a 95 % interval. HOW is median (of the quotients of
# rounds) or total (of a sum over inputs).
gain() { awk -v i="$3" -v j="$4" '{ print $i, $j }' "$2" | awk -v how="$1" -f "$here/../gain.awk"; }
