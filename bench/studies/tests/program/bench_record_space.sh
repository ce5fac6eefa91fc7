#!/bin/sh
# SPDX-License-Identifier: MIT
# What record_space promises: wrong input is one line and exit status 2; the large spaces have the sizes that it says; a space
# recorded in parts is whole once they are joined.
set -eu
cd "$(dirname "$0")/../../../.."
program=$1/studies/record_space
. "./tests/support/refuses.sh"
refuses 'is no layer of a known network' --layer R99 --out "$work"
refuses 'want a folder, or --count' --layer R9
refuses '--repeats is below 2' --layer R9 --out "$work" --repeats 1
refuses '--enough is negative' --layer R9 --out "$work" --enough -1
refuses 'want conv2d, nchw, winograd, depthwise or separable' --layer R9 --kind gemm --count
refuses 'the layer is a product' --layer Out --kind conv2d --count
refuses 'is not 3 x 3 without stride' --layer R4 --kind winograd --count
refuses 'channels are no multiple of two vectors' --layer R1 --kind separable --count
refuses 'its whole space is small' --layer R6 --kind depthwise --large --count
for part in 0/2 3/2 2 1/2x; do refuses 'want I/N' --layer R9 --out "$work" --part $part; done
program=$1/studies/record_shapes
for seed in -1 1.5 99999999999999999999 one; do
    refuses "'$seed' is not an integer from 0" --finalists "$work/none" --seed $seed
done
program=$1/studies/record_space

count() { "$program" --count "$@" | cut -d ' ' -f 2; }
[ "$(count --layer Out)" = 2688 ] || fail "Out has $(count --layer Out) configurations, want the 2688 of packages/scoring/recordings"
for layer in R2 R9 R12 S12 QKV 'QK^T' AV Out S8:nchw S16:winograd R6:separable; do
    kind=
    case $layer in *:*) kind=--kind=${layer#*:} ;; esac
    n=$(count --large --layer "${layer%:*}" $kind)
    [ "$n" -ge 20000 ] && [ "$n" -le 200000 ] || fail "$layer has $n configurations, want 20000 to 200000"
done

# The whole depthwise space of a layer, in two parts.
record() { "$program" --kind depthwise --layer R11 --out "$work" --repeats 2 "$@"; }
rows() { gzip -dc "$work/depthwise_R11$1.csv.gz" | sed 1d | wc -l; }
whole=$(count --kind depthwise --layer R11)
record --part 1/2
record --join 2 2>/dev/null && fail "a space was joined of which a part is missing"
record --part 2/2 --seed 2
record --join 2 2>"$work/said" && fail "parts of different orders were joined"
grep -q "want each of the $whole configurations once" "$work/said" || fail "joined: $(cat "$work/said")"
record --part 2/2
[ "$(rows .1-of-2)" -lt "$whole" ] || fail "a part has $(rows .1-of-2) rows, want fewer than the $whole of the space"
record --join 2 >"$work/line"
[ "$(rows '')" = "$whole" ] || fail "the joined space has $(rows '') rows, want $whole"
grep -q "^depthwise_R11,depthwise R11,unnamed machine,$whole," "$work/line" || fail "joined: $(cat "$work/line")"

# Memory does not grow with the number of configurations: a twelfth of a space needs as much as a hundredth, but for 4.5 MB.
# peak I/N: kB of address space that the program had at most.
peak() {
    "$program" --large --kind winograd --layer S16 --out "$work" --repeats 2 --enough 0.001 --part "$1" &
    child=$! most=0
    while now=$(sed -n 's/^VmPeak:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$child/status" 2>/dev/null) && [ -n "$now" ]; do
        most=$now
        sleep 0.02
    done
    wait "$child" && echo "$most"
}
few=$(peak 1/100)
many=$(peak 1/12)
[ "$((many - few))" -lt 4500 ] || fail "a hundredth of winograd_S16_large takes $few kB, a twelfth $many kB"
[ "$bad" = 0 ] && echo "wrong input refused, spaces counted"
exit $bad
