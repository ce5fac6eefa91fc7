#!/bin/sh
# SPDX-License-Identifier: MIT
# What tune_shapes promises: a family of real products within a budget, each after the first begun with what won beside it; results that the
# next run adds to, and a header that compiles; wrong input is one line and exit status 2, and leaves no half-written header.
set -eu
cd "$(dirname "$0")/../../.."
program=$1/tools/tune_shapes
. "./tests/support/refuses.sh"
. "./tests/support/warnings.sh"
refuses '--shapes' --shapes 0 --results "$work/none"
refuses '--seconds' --seconds -1 --results "$work/none"
cp README.md "$work/page"
refuses 'is not a file of results' --results "$work/page"
refuses 'cannot be written' --results "$work/no/such/folder"
sed 's/^space .*/space 0123456789abcdef/' examples/tuned_library/gemm_shapes.results >"$work/changed"
refuses 'its checksum is another one' --results "$work/changed"
[ ! -e "$work/none" ] || fail "wrong input wrote results"

run() { "$program" --trials 4 --seconds 60 --results "$work/gemm.results" "$@"; }
run --shapes 2 >"$work/first"
grep -q '2 shapes, 2 of them new' "$work/first" || fail "not two shapes: $(cat "$work/first")"
run --shapes 3 --header "$work/gemm_choice.hpp" >"$work/second"
grep -q '3 shapes, 1 of them new' "$work/second" || fail "the second run did not go on from the first: $(cat "$work/second")"
[ "$(grep -c 'untuned' "$work/second")" = 3 ] || fail "a shape without its untuned default"
# One space: what won at a shape was tried at the others.
awk '$1 == "config" { configs++ } $1 ~ /^[0-9]+$/ { rows[$4]++ } END { for (c in rows) if (rows[c] > 1) shared++; exit !(shared > 0) }' \
    "$work/gemm.results" || fail "no configuration was carried over to another shape"
cp "$work/gemm.results" "$work/before"
run --shapes 3 >"$work/third"
grep -q '3 shapes, 0 of them new' "$work/third" || fail "the third run found something to do"
cmp -s "$work/before" "$work/gemm.results" || fail "a run without new shapes changed the results"

refuses 'is not an identifier' --trials 1 --shapes 3 --results "$work/gemm.results" --header "$work/bad.hpp" --name 'a-b'
[ ! -e "$work/bad.hpp" ] || fail "a header that was refused is there"
# The results of two contributors: what contradicts is left out and said, the rest is of both; other kernels keep to themselves.
sed '/^end /d' "$work/gemm.results" >"$work/cut.results"
refuses 'was cut' merge "$work/gemm.results" "$work/cut.results"
cp "$work/gemm.results" "$work/copy.results"
"$program" merge "$work/copy.results" "$work/gemm.results" --out "$work/both.results" --c-header "$work/both.h" --json "$work/both.json" \
    --choice "$work/both.choice" >"$work/merged" || fail "the merge failed"
cmp -s "$work/gemm.results" "$work/both.results" || fail "a file merged with itself is another one"
grep -q "^gemm: .* rows of 2 files, 1 device, 3 shapes" "$work/merged" || fail "the merge says: $(cat "$work/merged")"
refuses 'cannot be opened' merge "$work/gemm.results" "$work/nowhere"
# A form of one's own; a name or a section that is wrong ends the run before anything is measured, with the line where it stands.
printf '{{#kernels}}\n{{kernel}}:{{#devices}}{{#shapes}} {{at.m}}x{{at.n}}x{{at.k}}={{config.literal.mr}}{{/shapes}}{{/devices}}\n{{/kernels}}\n' >"$work/form"
"$program" merge "$work/gemm.results" --template "$work/form" --header "$work/filled" >/dev/null || fail "the template was not filled"
grep -Eqx 'gemm:( [0-9]+x[0-9]+x[0-9]+=[0-9]+){3}' "$work/filled" || fail "the template was filled with: $(cat "$work/filled")"
refuses 'want both' merge "$work/gemm.results" --template "$work/form"
printf 'a\n{{#kernels}}\n' >"$work/form"
refuses "$work/form:2: the section {{#kernels}} does not end" --results "$work/none" --template "$work/form" --header "$work/filled_too"
printf 'a\nb{{kernel}}\n' >"$work/form"
refuses "$work/form:2: nothing is called kernel here, want kernels" --results "$work/none" --template "$work/form" --header "$work/filled_too"
[ ! -e "$work/none" ] && [ ! -e "$work/filled_too" ] || fail "a template that was refused left a file"
cat >"$work/use.c" <<'END'
#include "both.h"
int main(void) { return gemm_choice_choose(77, 1000, 333)->mr >= 1 ? 0 : 1; }
END
cc -std=c99 $warnings -I"$work" "$work/use.c" -o "$work/use_c" && "$work/use_c" || fail "the header is no C99"
cat >"$work/use.cpp" <<'END'
#include "gemm_choice.hpp"
static_assert(gemm_choice::choose(1, 512, 512).mr >= 1, "a measured shape");
static_assert(gemm_choice::choose(77, 1000, 333).mr >= 1, "another");
int main() { return 0; }
END
for compiler in g++ clang++; do
    command -v $compiler >/dev/null 2>&1 || continue
    $compiler -std=c++17 $warnings -I"$work" "$work/use.cpp" -o "$work/use" || fail "$compiler refuses the header"
done
exit $bad
