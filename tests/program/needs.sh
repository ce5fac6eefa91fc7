#!/bin/sh
# SPDX-License-Identifier: MIT
# What scripts/needs and tests/machines/bare_root.sh promise on machines that lack something, played with a PATH of our own: before anything is
# installed or built they name what is missing and the remedy; "not run" is exit status 77.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
program=$root/scripts/needs
. "$(dirname "$0")/../support/refuses.sh"

# has NAME LINE...: the machine gets a program NAME, a script of these lines.
bin=$work/bin
has() {
    name=$1
    shift
    { echo '#!/bin/sh' && for line in "$@"; do echo "$line"; done; } >"$bin/$name"
    chmod +x "$bin/$name"
}
# machine: one with a shell and small tools, no compiler, no package manager, no root.
machine() {
    rm -rf "$bin"
    mkdir "$bin"
    for tool in sh sed cut grep tail head find mktemp rm cat env dirname awk mkdir chmod; do ln -s "$(command -v $tool)" "$bin/$tool"; done
    has id 'echo 1000'
}
# says STATUS SCRIPT ARGUMENT...: on that machine it ends with STATUS; what it says is left in $work/said.
says() {
    want=$1
    shift
    status=0
    env -i PATH="$bin" HOME="$work" TMPDIR="$work" "$@" </dev/null >"$work/said" 2>&1 || status=$?
    [ "$status" = "$want" ] || fail "$*: exit status $status, want $want: $(cat "$work/said")"
}
holds() { grep -qF -- "$1" "$work/said" || fail "said '$(cat "$work/said")', want '$1'"; }
asked='apt-get update && apt-get install -y --no-install-recommends g++ cmake ninja-build libeigen3-dev'

refuses "no group 'hammer', want build," hammer
machine
says 1 "$program" build
holds 'no apt-get to install it'
holds 'the C++ compiler g++ 12 or newer (Debian: g++)'
holds 'Eigen 3.4 (Debian: libeigen3-dev)'
has apt-get 'exit 9'
says 1 "$program" build
holds "Become root and run: $asked"
has sudo 'echo "1000 is not in the sudoers file" >&2' 'exit 1'
says 1 "$program" build
holds 'is not in the sudoers file'
holds "Become root and run: $asked"
has sudo 'exec "$@"'
has apt-get 'echo "E: Unable to fetch"' 'exit 100'
says 1 "$program" build
holds 'E: Unable to fetch'
holds 'tunekit still needs:'

# What apt-get installs is looked for again; a question would wait for ever, because nobody sees it.
# shellcheck disable=SC2016 # words of a script
has apt-get '[ "$DEBIAN_FRONTEND" = noninteractive ] || exit 1' '[ "$1" = install ] || exit 0' \
    "cd '$bin'" 'for name in g++ cmake ninja; do printf "#!/bin/sh\nexit 0\n" >$name && chmod +x $name; done'
says 0 "$program" build
says 0 "$program" build
[ ! -s "$work/said" ] || fail "nothing was missing, and it said '$(cat "$work/said")'"
has cmake 'echo "cmake version 3.22.1"'
says 1 "$program" build
holds 'needs CMake 3.25 or newer, this machine has 3.22: PyPI has newer ones'
has cmake 'echo "cmake version 4.4.0"'
has g++ 'case $1 in -dumpversion) echo 11 ;; esac'
says 1 "$program" build
holds 'needs g++ 12 or newer, this machine has 11'

# A bare root is made by root, by debootstrap, and in namespaces of its own; where that is not to be had, nothing is tried.
bare=$root/tests/machines/bare_root.sh
machine
says 77 "$bare"
holds 'bare_root: not run: only root can make and enter such a machine'
has id 'echo 0'
says 77 "$bare"
holds 'debootstrap, which makes a minimal Debian (Debian: debootstrap)'
holds 'bare_root: not run: '
for tool in debootstrap git; do has $tool 'exit 0'; done
has unshare 'exit 1'
says 77 "$bare"
holds 'bare_root: not run: this system lets root mount nothing'
has unshare 'exit 0'
has apt-get 'exit 0'
says 77 "$bare"
holds 'bare_root: not run: apt knows no source of '
says 2 "$bare" root:hammer
holds "no option or run 'root:hammer'"
exit $bad
