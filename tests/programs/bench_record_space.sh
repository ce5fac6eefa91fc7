#!/bin/sh
# SPDX-License-Identifier: MIT
# What record_space promises: wrong input is one line and exit status 2; the large spaces have the sizes that it says.
set -eu
cd "$(dirname "$0")/../.."
program=$1/bench/record_space
. "./tests/programs/support/refuses.sh"
refuses 'is no layer of a known network' --layer R99 --out "$work"
refuses 'want a folder, or --count' --layer R9
refuses '--repeats is below 2' --layer R9 --out "$work" --repeats 1
program=$1/bench/record_shapes
for seed in -1 1.5 99999999999999999999 one; do
    refuses "'$seed' is no integer from 0" --finalists "$work/none" --seed $seed
done
program=$1/bench/record_space

count() { "$program" --count "$@" | cut -d ' ' -f 2; }
[ "$(count --layer Out)" = 2688 ] || fail "Out has $(count --layer Out) configurations, want the 2688 of bench/data"
for layer in R2 R9 R12 S12 QKV Out; do
    n=$(count --large --layer $layer)
    [ "$n" -ge 20000 ] && [ "$n" -le 200000 ] || fail "$layer has $n configurations, want 20000 to 200000"
done
[ "$bad" = 0 ] && echo "wrong input refused, spaces counted"
exit $bad
