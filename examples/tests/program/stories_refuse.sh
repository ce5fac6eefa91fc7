#!/bin/sh
# SPDX-License-Identifier: MIT
# What the stories say where a package is missing or has another version, and that what they are made of is right: intervals, instances.
set -eu
stories=$(cd "$(dirname "$0")/../../stories" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
fail() {
    echo "FAILED: $1"
    bad=1
}
# A machine with nothing but what every Unix has.
mkdir "$work/bare" "$work/fake"
for program in sh dirname mkdir find head cat cut grep sed awk sort tail; do ln -s "$(command -v $program)" "$work/bare/$program"; done
# fake NAME LINE...: a program that prints LINE.
fake() {
    name=$1
    shift
    { echo '#!/bin/sh' && printf "echo '%s'\n" "$@"; } >"$work/fake/$name"
    chmod +x "$work/fake/$name"
}
fake tune_command nothing
# says STATUS WORDS COMMAND...: in a folder of its own.
says() {
    wanted=$1 words=$2
    shift 2
    status=0
    "$@" >"$work/out" 2>&1 </dev/null || status=$?
    [ "$status" = "$wanted" ] || fail "$*: exit status $status, want $wanted: $(cat "$work/out")"
    [ -z "$words" ] || grep -qF -- "$words" "$work/out" || fail "$*: said '$(cat "$work/out")', want '$words'"
}

for story in gcc_flags openblas solver second_week stencil zstd; do
    says 2 'usage: sh ' sh "$stories/$story/tune.sh"
    [ $story = stencil ] || says 77 'tune_command in the PATH' env PATH="$work/bare" CC=none CXX=none OPENBLAS=none sh "$stories/$story/tune.sh" "$work/a"
done
says 77 '(Debian: gcc-12)' env PATH="$work/bare" CC=none sh "$stories/gcc_flags/tune.sh" "$work/a"
says 77 '(Debian: dpkg-dev)' env PATH="$work/bare" CC=none sh "$stories/gcc_flags/tune.sh" "$work/a"
says 77 '(Debian: libopenblas0-pthread)' env PATH="$work/bare" OPENBLAS=none sh "$stories/openblas/tune.sh" "$work/a"
says 77 '(Debian: cadical)' env PATH="$work/bare" sh "$stories/solver/tune.sh" "$work/a"
says 77 '(Debian: cadical)' env PATH="$work/bare" sh "$stories/second_week/tune.sh" "$work/a"
says 77 '(Debian: zstd)' env PATH="$work/bare" sh "$stories/zstd/tune.sh" "$work/a"
says 77 '(Debian: g++)' env PATH="$work/bare" CXX=none sh "$stories/stencil/tune.sh" "$work/a"

fake cadical 1.9.4
for story in solver second_week; do
    says 77 'which calls itself sc2021, this machine has 1.9.4 (Debian 12: cadical)' env PATH="$work/fake:$PATH" sh "$stories/$story/tune.sh" "$work/b"
done
fake zstd '*** Zstandard CLI (64-bit) v1.3.8, by Yann Collet ***'
says 77 'zstd 1.5, this machine has 1.3.8 (Debian 12: zstd)' env PATH="$work/fake:$PATH" sh "$stories/zstd/tune.sh" "$work/b"
fake c++-of-old 'c++-of-old (Debian 9.3.0) 9.3.0'
echo 'case "$*" in *fsyntax-only*) exit 1 ;; esac' >>"$work/fake/c++-of-old"
says 77 'this machine has c++-of-old (Debian 9.3.0) 9.3.0 (Debian 12: g++)' env PATH="$work/fake:$PATH" CXX=c++-of-old sh "$stories/stencil/tune.sh" "$work/b"
fake gcc-of-tomorrow 14.2.0
mkdir -p "$work/c/bzip2-1.0.8"
says 77 'gcc 12, this machine has 14.2.0 (Debian 12: gcc-12)' env PATH="$work/fake:$PATH" CC=gcc-of-tomorrow sh "$stories/gcc_flags/tune.sh" "$work/c"

# Libraries that are not what sizes.c knows: of another version, and with a table that holds something else.
CC=${CC:-gcc}
routines='void dgemm_(void) {} void dsymm_(void) {} void dsyrk_(void) {} void dsyr2k_(void) {} void dtrmm_(void) {} void dtrsm_(void) {} void dgetrf_(void) {} void dpotrf_(void) {}'
table='const char* openblas_get_corename(void) { return "Haswell"; } char of_haswell[0x1268]; char* gotoblas = of_haswell;'
for version in 0.3.29 0.3.21; do
    echo "$routines $table const char* openblas_get_config(void) { return \"OpenBLAS $version DYNAMIC_ARCH\"; }" >"$work/library.c"
    "$CC" -w -shared -fPIC "$work/library.c" -o "$work/libfake-$version.so"
done
says 77 'OpenBLAS 0.3.21, this machine has 0.3.29' env PATH="$work/fake:$PATH" OPENBLAS="$work/libfake-0.3.29.so" sh "$stories/openblas/tune.sh" "$work/d"
for version in 0.3.29 0.3.21; do
    "$CC" -shared -fPIC "$stories/openblas/sizes.c" "$work/libfake-$version.so" -o "$work/sizes-$version.so"
    says 0 '' env LD_PRELOAD="$work/sizes-$version.so" true
done
says 3 'another version: OpenBLAS 0.3.29' env DGEMM_SIZES=64,64 LD_PRELOAD="$work/sizes-0.3.29.so" true
says 3 'the table does not hold the sizes of this core: Haswell' env DGEMM_SIZES=64,64 LD_PRELOAD="$work/sizes-0.3.21.so" true

# gain HOW: known answers. The median of 1 to 9 is 5, between the second and the eighth (1 - 2 * 10 / 512 = 0.96).
gain() { awk -v how="$1" -f "$stories/gain.awk"; }
[ "$(seq 9 | sed 's/$/ 1/' | gain median)" = '5.000 [2.000, 8.000]' ] || fail "median: $(seq 9 | sed 's/$/ 1/' | gain median)"
[ "$(seq 5 | sed 's/$/ 1/' | gain median)" = '3.000 [no interval from 5]' ] || fail "median of five: $(seq 5 | sed 's/$/ 1/' | gain median)"
[ "$(yes '3 2' | head -n 20 | gain total)" = '1.500 [1.500, 1.500]' ] || fail "total: $(yes '3 2' | head -n 20 | gain total)"
[ "$(echo 'a b' | gain total)" = 'nothing to compare' ] || fail 'total of nothing'
# Half of 40 lines cost the same, half twice as much: 1.5 in all, and the standard error of that is 0.08.
{ yes '1 1' | head -n 20 && yes '2 1' | head -n 20; } | gain total | sed 's/[][,]//g' >"$work/total"
awk '$1 == 1.5 && $2 > 1.3 && $2 < 1.4 && $3 > 1.6 && $3 < 1.7 { good = 1 } END { exit !good }' "$work/total" || fail "total: $(cat "$work/total")"

# The instances are the same wherever they are made.
sh "$stories/solver/generate.sh" "$work/instances" 6 2 9 30
sums=$(cd "$work/instances" && cat factor-6.cnf factor-7.cnf random-6.cnf random-7.cnf | cksum)
[ "$sums" = "4008857439 38815" ] || fail "instances: $sums"
exit $bad
