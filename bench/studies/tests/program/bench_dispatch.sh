#!/bin/sh
# SPDX-License-Identifier: MIT
# labels: fast
# What bench_dispatch promises: wrong input is one line and exit status 2; the same scores twice; the rungs that go with the way of judging, in JSON
# as in the table; the header and the choice that it writes are whole and stable.
set -eu
cd "$(dirname "$0")/../../../.."
dispatch=$1/studies/bench_dispatch
program=$dispatch
. "./tests/support/refuses.sh"
refuses 'cannot be opened' --results "$work/none"
refuses 'is not a file of results' --results README.md
refuses '--kernels' --results examples/tuned_library/gemm_shapes.results --kernels 0
refuses 'folds is 1' --results examples/tuned_library/gemm_shapes.results --folds 1
refuses 'cannot be opened' --results examples/tuned_library/gemm_shapes.results --kernels 2 --folds 2 --judged "$work/none"

run() {
    "$dispatch" --results examples/tuned_library/gemm_shapes.results --kernels 2,4 --folds 4 "$@"
}
run --header "$work/first.hpp" --choice "$work/first.choice" | grep -v 'choice at run time' >"$work/first"
run --header "$work/second.hpp" --choice "$work/second.choice" | grep -v 'choice at run time' >"$work/second"
cmp -s "$work/first" "$work/second" || fail "two runs score differently"
cmp -s "$work/first.hpp" "$work/second.hpp" || fail "two headers of the same results differ"
cmp -s "$work/first.choice" "$work/second.choice" || fail "two files of the same results differ"
[ "$(grep -c '^exact\|^nearest\|^tree\|^one' "$work/first")" = 8 ] || fail "not four rungs for each number of kernels"
# A measured shape gets the best of what is kept; elsewhere the set and the choice make the loss together.
awk '$1 == "exact" && $9 != "1.000" { bad = 1 } END { exit bad }' "$work/first" || fail "exact does not choose the best that is kept"
awk '$1 ~ /^(nearest|tree|one)$/ { rows++; gap = $5 - $8 * $9; if (gap > 0.002 || gap < -0.002 || $9 >= 1) bad = 1 }
    END { exit bad || rows != 6 }' "$work/first" || fail "set times choice is not best / chosen"
# Results are kept packed.
gzip -9nc examples/tuned_library/gemm_shapes.results >"$work/packed.results.gz"
"$dispatch" --results "$work/packed.results.gz" --kernels 2,4 --folds 4 | grep -v 'choice at run time' | cmp -s - "$work/first" || fail "packed results score differently"
run --json >"$work/json"
[ "$(grep -c '"rung"' "$work/json")" = 8 ] || fail "not the table's rows in JSON"
# Judged with shapes it learned from: nothing is held out, so nearest is what its own shapes are.
run --judged examples/tuned_library/gemm_shapes.results >"$work/judged"
grep -q '^exact' "$work/judged" && fail "exact among shapes to judge with"
[ "$(grep -c '^nearest\|^tree\|^one' "$work/judged")" = 6 ] || fail "not three rungs at shapes to judge with"
run --or-untuned | awk '$1 == "exact" && $NF != 0 { bad = 1 } END { exit bad }' ||
    fail "a measured shape is below the untuned default that may be its answer"
refuses '--costs' --costs 0
refuses '--results is required' --kernels 2
"$dispatch" --costs 100 --json >"$work/costs" || fail "no costs"
[ "$(grep -c measured_ns "$work/costs")" = 8 ] || fail "not eight ways of a pick: $(cat "$work/costs")"
exit $bad
