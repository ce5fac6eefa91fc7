#!/bin/sh
# SPDX-License-Identifier: MIT
# levels.sh: compiles and links, and does not run, all that is compiled for the machine (target `native`: micro-kernels, operators, recipes,
# benches) at other instruction levels than this machine's, where a warning is an error. Every unit is tried, whatever became of others.
# Exit status 77 where nothing that was asked for can be compiled here.
set -eu

usage() {
    cat <<'END'
usage: tests/machines/levels.sh [LEVEL...] [--compiler g++|clang++]...
  LEVEL             a -march of x86-64, or aarch64 (what needs no foreign library, by a cross compiler);
                    by default haswell znver3 skylake-avx512 x86-64 aarch64
  --compiler NAME   by default both
END
}
fail() {
    echo "levels: $1" >&2
    usage >&2
    exit 2
}

levels='' compilers=''
while [ $# -gt 0 ]; do
    case $1 in
    --compiler)
        case ${2-} in g++ | clang++) ;; *) fail "--compiler is '${2-}', want g++ or clang++" ;; esac
        compilers="$compilers $2"
        shift
        ;;
    -h | --help) usage; exit 0 ;;
    -*) fail "no option '$1'" ;;
    *) levels="$levels $1" ;;
    esac
    shift
done
: "${levels:=haswell znver3 skylake-avx512 x86-64 aarch64}" "${compilers:=g++ clang++}"

cd "$(dirname "$0")/../.."
groups='build test bench'
case $compilers in *clang++*) groups="$groups clang" ;; esac
# shellcheck disable=SC2086 # words of a list
scripts/needs $groups
for level in $levels; do
    for compiler in $compilers; do
        [ "$level" = aarch64 ] || [ "$(uname -m)" != x86_64 ] || "$compiler" -march="$level" -E -x c++ /dev/null >/dev/null 2>&1 ||
            fail "$compiler knows no -march=$level"
    done
done

# compile LEVEL COMPILER CMAKE_ARGUMENT...
compile() {
    level=$1 compiler=$2 build=build/levels/$2-$1
    shift 2
    mkdir -p "$build"
    if ! cmake --preset ci-release -B "$build" --log-level=STATUS -DTUNEKIT_BUILD_TESTS=OFF -DTUNEKIT_BUILD_EXAMPLES=OFF \
        -DCMAKE_CXX_COMPILER="$compiler" "$@" >"$build/configured" 2>&1; then
        cat "$build/configured" >&2
        return 1
    fi
    # On x86-64 nothing is left out.
    if [ "$level" != aarch64 ] && grep ' is not built, ' "$build/configured"; then return 1; fi
    cmake --build "$build" --parallel "$(nproc)" --target native -- -k 0
}
# The cross compiler looks for libraries of its own alone; Eigen's headers suit every processor.
cross() {
    compiler=$1
    shift
    [ "$compiler" = clang++ ] || compiler=aarch64-linux-gnu-g++
    compile aarch64 "$compiler" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_CXX_COMPILER_TARGET=aarch64-linux-gnu \
        -DCMAKE_FIND_ROOT_PATH=/usr/aarch64-linux-gnu -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY \
        -DCMAKE_FIND_ROOT_PATH_MODE_PACKAGE=ONLY -DEigen3_DIR=/usr/share/eigen3/cmake -DTUNEKIT_ARCHITECTURE=armv8-a
}

# Where the machine is of another kind, or has no cross compiler, a level counts as not run.
report='' bad=0 tried=0
for level in $levels; do
    for compiler in $compilers; do
        began=$(date +%s)
        if [ "$level" = aarch64 ] && ! command -v aarch64-linux-gnu-g++ >/dev/null 2>&1; then
            state='not run: no aarch64-linux-gnu-g++ (scripts/needs targets installs it)'
        elif [ "$level" != aarch64 ] && [ "$(uname -m)" != x86_64 ]; then
            state="not run: this machine is $(uname -m)"
        else
            echo "=== $level, $compiler"
            tried=$((tried + 1)) state=ok
            if [ "$level" = aarch64 ]; then cross "$compiler"; else compile "$level" "$compiler" -DTUNEKIT_ARCHITECTURE="$level"; fi ||
                bad=1 state=FAILED
        fi
        report="$report
$(printf '%-16s %-8s %5d s  %s' "$level" "$compiler" $(($(date +%s) - began)) "$state")"
    done
done
echo "=== levels$report"
[ $tried -gt 0 ] || exit 77
exit $bad
