#!/bin/sh
# SPDX-License-Identifier: MIT
# bare_root.sh [OPTION...] [WHO:COMMAND...]: the commands of README.md, and those of docs/python.md, word for word, on a Debian that has nothing
# but git. It is made by debootstrap from this machine's package sources; the committed tree is cloned into it. WHO is root, or a plain user
# with sudo; each has a machine of their own. The exit status must be 0 and the last lines those that README.md and CTest promise, or those of
# the first program of docs/python.md.
# Exit status 1: something failed; 2: wrong usage; 77: this machine cannot make one, nothing was tried.
set -eu
umask 022

usage() {
    cat <<'END'
usage: tests/machines/bare_root.sh [OPTION...] [WHO:COMMAND...]
  WHO:COMMAND     root:demo root:test user:demo user:test (default: these, in this order), and root:python user:python; the commands of one
                  WHO share a machine
  --cache DIR     a compiler cache (ccache) that the commands read: what is in it is not compiled again;
                  CCACHE_NAMESPACE and CCACHE_IGNOREOPTIONS of the environment hold there, too
  --packages DIR  where downloaded packages are kept for the next run
  --keep          the machines remain, and are named
They are made below TMPDIR, or else /var/tmp, and take 3 GB.
END
}
say() { echo "bare_root: $1"; }
wrong() {
    say "$1" >&2
    usage >&2
    exit 2
}
cannot() {
    say "not run: $1"
    exit 77
}

# on_machine WHO COMMAND: runs one command of the README in the machine $root, as the first process of namespaces that end with it: whatever
# it leaves running is killed, and its mounts are seen by nobody else. Prints the seconds on the wall and of processors, last.
on_machine() {
    who=$1 command=$2
    mount -t proc proc "$root/proc"
    mount -t sysfs -o ro sysfs "$root/sys"
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
    mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
    home=/root path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
    if [ "$who" != root ]; then home=/home/$who path=/usr/local/bin:/usr/bin:/bin; fi
    set -- HOME="$home" USER="$who" LOGNAME="$who" PATH="$path"
    if [ -n "$cache" ]; then
        mkdir -p "$root/var/cache/ccache"
        mount --bind -o ro "$cache" "$root/var/cache/ccache"
        set -- "$@" CCACHE_DIR=/var/cache/ccache CCACHE_READONLY=1 CCACHE_NOSTATS=1 CCACHE_TEMPDIR=/tmp
        for setting in CCACHE_NAMESPACE CCACHE_IGNOREOPTIONS; do
            ! value=$(printenv $setting) || set -- "$@" "$setting=$value"
        done
    fi
    if [ -n "$packages" ]; then mount --bind "$packages" "$root/var/cache/apt/archives"; fi
    began=$(date +%s)
    status=0
    chroot --userspec="$who:$who" "$root" env -i "$@" sh -ec "cd ~/tunekit; $command" || status=$?
    times >"$root/times"  # in no pipe: a subshell has times of its own
    echo "seconds: $(($(date +%s) - began)) $(awk 'NR == 2 { gsub(/[ms]/, " "); printf "%.0f", 60 * $1 + $2 + 60 * $3 + $4 }' "$root/times")"
    return $status
}
if [ "${1-}" = --on-machine ]; then
    on_machine "$2" "$3"
    exit
fi

cache='' packages='' keep=no runs=''
while [ $# -gt 0 ]; do
    case $1 in
    --cache | --packages)
        [ $# -gt 1 ] || wrong "$1 wants a folder"
        mkdir -p "$2" && folder=$(cd "$2" && pwd)
        if [ "$1" = --cache ]; then cache=$folder; else packages=$folder; fi
        shift
        ;;
    --keep) keep=yes ;;
    -h | --help) usage; exit 0 ;;
    root:demo | root:test | root:python | user:demo | user:test | user:python) runs="$runs $1" ;;
    *) wrong "no option or run '$1'" ;;
    esac
    shift
done
: "${runs:=root:demo root:test user:demo user:test}"
cd "$(dirname "$0")/../.."
script=$PWD/tests/machines/bare_root.sh

# What the README promises: its commands, and the line below the demo's table, of which figures may differ; what may be said of the winners, and a
# forecast, follow it.
command_named() {
    awk '/^## Two commands/ { section = 1 } section && /^```/ { if (code) exit; code = 1; next } code' README.md | grep -E "^scripts/$1( |\$)" || {
        say "README.md has no command scripts/$1" >&2
        exit 1
    }
}
without_figures() { sed 's/[0-9][0-9.]*/N/g'; }
demo=$(command_named demo)
test=$(command_named test)
python="$(awk '/^```sh/ { code = 1; next } code && /^```/ { exit } code' docs/python.md)
python3 python/tests/pages.py"
promised=$(grep '^model latency ' README.md | without_figures)
kept_promise() {
    case $1 in
    demo) line=$(tail -n 3 "$2" | grep '^model latency ') && [ "$(echo "$line" | without_figures)" = "$promised" ] && echo "$line" ;;
    python) tail -n 1 "$2" | grep "^{'level': [1-9], .*} 0[.][0-9]*$" ;;
    test) # what is skipped is not passed; but Python's headers are asked for by nobody, and a device is not there
        ! sed -n 's/^.* - \(.*\) (Skipped)$/\1/p' "$2" | grep -vxE 'python|example/cuda_kernel' && grep '^100% tests passed, 0 tests failed out of [1-9]' "$2"
        ;;
    esac
}

# What this machine must be able to do.
. tests/support/debian.sh
find_debian scripts/needs bare

# The end, whatever it is: the namespaces die with this script, even if it is killed, and with them every mount; only then folders are removed.
work=$(mktemp -d "${TMPDIR:-/var/tmp}/bare_root.XXXXXX")
child=''
finish() {
    [ -z "$child" ] || kill -KILL "$child" 2>/dev/null || true
    wait
    if [ "$keep" = yes ]; then say "the machines remain in $work"; else rm -rf --one-file-system "$work"; fi
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' HUP TERM
# apart COMMAND...: runs it in namespaces that end with it, or with us.
apart() {
    # shellcheck disable=SC2086 # words of a list
    setpriv --pdeathsig KILL $namespaces "$@" </dev/null &
    child=$!
    status=0
    wait $child || status=$?
    child=''
    return $status
}

logs=$PWD/build/bare_root
rm -rf "$logs"
mkdir -p "$logs"
also=git,ca-certificates
[ -z "$cache" ] || also=$also,ccache
git() { command git -c safe.directory='*' "$@"; } # whoever owns the tree
[ -z "$(git status --porcelain)" ] || say 'what is not committed is not tried'
began=$(date +%s)
# shellcheck disable=SC2086 # at most one word
apart=apart make_debian "$work/base" --include=$also ${packages:+"--cache-dir=$packages"} >"$logs/debootstrap.log" 2>&1 || {
    tail -n 20 "$logs/debootstrap.log"
    say 'debootstrap failed'
    exit 1
}
say "debootstrap: $(($(date +%s) - began)) s"
# What reaches packages from here, it has from us: sources, settings of apt, proxies, certificates, names.
debian_sources | awk '{ print "deb", $3, $1, $2 }' >"$work/base/etc/apt/sources.list"
apt-config dump Acquire >"$work/base/etc/apt/apt.conf.d/90machine"
for scheme in http https; do
    proxy=$(printenv ${scheme}_proxy || true)
    [ -z "$proxy" ] || echo "Acquire::$scheme::Proxy \"$proxy\";" >>"$work/base/etc/apt/apt.conf.d/90machine"
done
for part in auth.conf.d trusted.gpg.d; do cp -R "/etc/apt/$part/." "$work/base/etc/apt/$part"; done
for file in resolv.conf pip.conf ssl/certs/ca-certificates.crt; do
    [ ! -e "/etc/$file" ] || cat "/etc/$file" >"$work/base/etc/$file"
done
echo "127.0.0.1 localhost $(hostname)" >"$work/base/etc/hosts"
git bundle create -q "$work/base/tunekit.bundle" HEAD

# machine WHO: sets `root` to the machine of WHO, made when it is first asked for.
machine() {
    root=$work/$1
    [ ! -d "$root" ] || return 0
    cp -a --reflink=auto "$work/base" "$root"
    clone='cd && git clone -q /tunekit.bundle tunekit'
    if [ "$1" = root ]; then
        apart chroot "$root" sh -c "$clone"
    else
        apart chroot "$root" sh -c "apt-get update && apt-get install -y --no-install-recommends sudo && useradd --create-home $1 &&
            echo '$1 ALL = NOPASSWD: ALL' >/etc/sudoers.d/$1 && su $1 -c '$clone'"
    fi >"$logs/$1.log" 2>&1 || {
        tail -n 20 "$logs/$1.log"
        say "the machine of $1 could not be prepared"
        exit 1
    }
}
export root cache packages
bad=0
for run in $runs; do
    who=${run%:*} name=${run#*:}
    case $name in
    demo) command=$demo ;;
    test) command=$test ;;
    python)
        command=$python
        # the objects that know nothing of Python are those of python/tests/run.sh
        [ -z "$cache" ] || command='export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 SKBUILD_BUILD_DIR=$PWD/build/ci-dev/python/objects
'"$command"
        ;;
    esac
    machine "$who"
    log=$logs/$who-$name.log
    status=0
    apart sh "$script" --on-machine "$who" "$command" >"$log" 2>&1 || status=$?
    seconds=$(sed -n 's/^seconds: //p' "$log" | tail -n 1)
    sed -i '/^seconds: /d' "$log"
    if [ $status = 0 ] && last=$(kept_promise "$name" "$log"); then
        say "$who: $name: ${seconds% *} s, ${seconds#* } s of processors: $last"
    else
        bad=1
        tail -n 60 "$log"
        say "$who: $name FAILED after ${seconds% *} s: exit status $status, and its last lines are those above (all: $log)"
    fi
done
exit $bad
