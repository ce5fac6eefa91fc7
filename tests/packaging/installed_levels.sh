#!/bin/sh
# SPDX-License-Identifier: MIT
# installed_levels.sh PREFIX: the installed tools hold no instruction that some x86-64 lacks, outside of the tables of micro-kernels, which hold
# those of their level alone; every table measures right results; and where qemu is, processors of three levels take the table of theirs.
set -eu
prefix=$1
case $(uname -m) in
x86_64) ;;
*)
    echo "installed_levels: not looked at: this machine is no x86-64"
    exit 0
    ;;
esac
fail() {
    echo "FAILED: $1"
    exit 1
}
table=$(find "$prefix" -name libtunekit_kernel_table.so -not -path '*/glibc-hwcaps/*')
[ -n "$table" ] || fail "no table of micro-kernels below $prefix"
levels=$(dirname "$table")/glibc-hwcaps

# words FILE: which vector registers it names: xmm ymm zmm; and v where an instruction is one of AVX.
words() {
    objdump -d --no-show-raw-insn "$1" | awk '
        { if (/%zmm/) z = "zmm "; if (/%ymm/) y = "ymm "; if (/%xmm/) x = "xmm "; if ($2 ~ /^v[a-z]/ && /%[xyz]mm/) v = "v " }
        END { print x y z v }'
}
expect() { [ "$(words "$1")" = "$2" ] || fail "$1 has '$(words "$1")', want '$2'"; }
for file in "$prefix"/bin/tune_command "$prefix"/bin/tune_kernel "$prefix"/bin/tune_report "$prefix"/bin/tune_network "$prefix"/bin/tune_shapes "$prefix"/bin/score_strategy \
    "$table" "$(find "$prefix" -name libtunekit_kokkos.so)" "$levels/x86-64-v2/libtunekit_kernel_table.so"; do
    expect "$file" 'xmm '
done
expect "$levels/x86-64-v3/libtunekit_kernel_table.so" 'xmm ymm v '
expect "$levels/x86-64-v4/libtunekit_kernel_table.so" 'xmm ymm zmm v '

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Every table measures right results: the loader is told which to take, of those that this processor has.
loader=/lib64/ld-linux-x86-64.so.2
for level in none x86-64-v2 x86-64-v3 x86-64-v4; do
    [ $level = none ] || "$loader" --help | grep -q "$level (supported" || continue
    "$loader" --glibc-hwcaps-mask $level "$prefix/bin/tune_network" --network transformer --seconds 3 --strategy random >"$work/run" 2>&1 ||
        fail "$level: $(tail -n 3 "$work/run")"
    grep '^model latency' "$work/run" || fail "$level: no model latency"
done

# A processor takes the highest level that it has. What qemu runs has threads of qemu's own, which the workers refuse: it only begins.
emulator=$(command -v qemu-x86_64-static || command -v qemu-x86_64) || {
    echo "installed_levels: not run as other processors: there is no qemu, which runs as processors of other levels"
    exit 0
}
on() {
    "$emulator" -cpu "$1" -E LD_DEBUG=libs "$prefix/bin/tune_network" --network transformer --spaces 2>"$work/loaded" >"$work/spaces" ||
        fail "$1: $(tail -n 3 "$work/loaded")"
    grep -q "calling init: .*/$2/libtunekit_kernel_table.so" "$work/loaded" || fail "$1 loads another table than that of $2"
}
on qemu64 tunekit
on Nehalem x86-64-v2
on Haswell x86-64-v3
