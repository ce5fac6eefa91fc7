#!/bin/sh
# SPDX-License-Identifier: MIT
# wheels.sh FOLDER [SUITE...]: the wheels that `scripts/release --wheels FOLDER` made: each has the five programs, at most 20 MB and the tag of the glibc that
# its files ask for. Then a Debian of each suite, by default bookworm and trixie, which has python3 and no compiler, installs what is for it from the folder
# alone: every program starts, one run of a command and its page come out right, and so does the first program of docs/python.md.
# Exit status 77: the files are right, but this machine can make no Debian to try them in.
set -eu
wheels=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")/../.."
cannot() {
    echo "wheels: not tried: $1"
    exit 77
}
failed() {
    echo "wheels: FAILED: $1"
    exit 1
}
programs='score_strategy tune_command tune_kernel tune_report tune_shapes'
work=$(mktemp -d "${TMPDIR:-/var/tmp}/wheels.XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT

for wheel in "$wheels"/pytunekit-*.whl; do
    name=$(basename "$wheel")
    [ -e "$wheel" ] || failed "no wheel in $wheels"
    [ "$(wc -c <"$wheel")" -le 20000000 ] || failed "$name has $(wc -c <"$wheel") bytes, want at most 20 MB"
    python3 -m zipfile -e "$wheel" "$work/files"
    held=$(cd "$work"/files/pytunekit-*.data/scripts && echo *)
    [ "$held" = "$programs" ] || failed "$name has the programs '$held', want '$programs'"
    glibc=$(find "$work/files" -type f -exec objdump -T {} + 2>/dev/null | grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -u -V | tail -n 1)
    case $name in
    *-manylinux_"$(echo "$glibc" | tr . _)"_"$(uname -m)".whl) ;;
    *) failed "$name asks for glibc $glibc" ;;
    esac
    ! objdump -p "$work"/files/pytunekit-*.data/scripts/* | grep -E 'NEEDED +(libstdc|libgcc|libz)' || failed "$name has programs that need more than the library of C"
    echo "wheels: $name: $(wc -c <"$wheel") bytes, glibc $glibc"
    rm -rf "$work/files"
done

# serves VERSION: one of the wheels is for that Python, as 313: of it, or of the stable interface of an older one.
serves() {
    for wheel in "$wheels"/pytunekit-*.whl; do
        of=${wheel##*-cp3} of=${of%%-*}
        case $wheel in
        *-abi3-*) [ "${1#3}" -lt "$of" ] || return 0 ;;
        *) [ "${1#3}" != "$of" ] || return 0 ;;
        esac
    done
    return 1
}

. tests/support/debian.sh
find_debian scripts/needs bare
[ $# -gt 0 ] || set -- bookworm trixie
for suite; do
    root=$work/$suite
    make_debian "$root" --include=python3-venv >"$work/log" 2>&1 || {
        tail -n 5 "$work/log"
        cannot "debootstrap makes no $suite"
    }
    version=$(chroot "$root" python3 -c 'import sys; print("%d%d" % sys.version_info[:2])')
    serves "$version" || {
        echo "wheels: $suite: not tried, no wheel is for its Python: $version"
        continue
    }
    mkdir "$root/try"
    cp -R "$wheels" "$root/try/wheels"
    mkdir -p "$root/try/tree/python/tests" "$root/try/tree/docs"
    cp python/tests/pages.py "$root/try/tree/python/tests"
    cp docs/python.md "$root/try/tree/docs"
    cat >"$root/try/it" <<END
set -eu
cd /try
python3 -m venv tuning
tuning/bin/pip install --quiet --no-index --find-links wheels pytunekit
PATH=/try/tuning/bin:\$PATH
for program in $programs; do \$program --help >/dev/null || { echo "\$program does not start" && exit 1; }; done
tune_command --parameter n=3,1,2 --log run.jsonl -- sleep 0.0{n} >said || { cat said && exit 1; }
tune_report run.jsonl -o run.html >/dev/null
test -s run.html
python tree/python/tests/pages.py
END
    # shellcheck disable=SC2086,SC2016 # words of a list; words of another shell
    $namespaces sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" env -i PATH=/usr/bin:/bin sh /try/it' "$root" >"$work/said" 2>&1 || {
        cat "$work/said"
        failed "$suite"
    }
    tail -n 1 "$work/said" | grep -q "^{'level': [1-9], .*} 0[.][0-9]*$" || failed "$suite: docs/python.md prints '$(tail -n 1 "$work/said")'"
    echo "wheels: $suite, $(chroot "$root" python3 -V): $(tail -n 1 "$work/said")"
done
