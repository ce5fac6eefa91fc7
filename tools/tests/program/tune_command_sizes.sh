#!/bin/sh
# SPDX-License-Identifier: MIT
# labels: fast
# tune_command --sizes: {x} and {y} are the numbers of a size, each size is tuned, and a header chooses for all; what was measured is taken up.
set -eu
program=$1/tools/tune_command
. "$(dirname "$0")/../../../tests/support/refuses.sh"
cd "$work"

# Small sizes cost least with a tile of 1, large ones with 4.
cat >cost.sh <<'END'
[ "$OF" = "$1" ] || exit 1
awk -v n="$1" -v tile="$2" 'BEGIN { print "cost", tile == 4 ? 1000 + n : tile == 1 ? 8 * n : 3 * n + 900 }'
END
tune() { "$program" --parameter tile=1,2,4 --default tile=2 --cost 'regex:cost (.*)' --unit '' --trials 3 --seed 1 "$@"; }
tune --sizes 50,200,6000 --header sized.hpp --results sized.results --env 'OF={x}' -- sh cost.sh '{x}' '{tile}' >out 2>err ||
    fail "exit status $?: $(cat err)"
grep -q 'x=50: tile=1, 400, the default 1050' out && grep -q 'x=6000: tile=4, 7000, the default 1.89e+04' out || fail "says $(cat out)"
tune --sizes 9000 --header sized.hpp --results sized.results --env 'OF={x}' -- sh cost.sh '{x}' '{tile}' >out 2>err || fail "again: exit status $?: $(cat err)"
[ "$(wc -l <out)" = 4 ] || fail "again: says $(cat out)"
cat >use.cpp <<'END'
#include "sized.hpp"
static_assert(kernel_choice::choose(50).tile == 1 && kernel_choice::choose(6000).tile == 4 && kernel_choice::choose(8000).tile == 4, "chosen");
int main() {}
END
"${CXX:-c++}" -std=c++17 -fsyntax-only use.cpp || fail "the header does not choose so"
tune --sizes 5x7,50x70 --header two.hpp --env 'OF={x}' -- sh cost.sh '{x}' '{tile}' '{y}' >out 2>err || fail "two: exit status $?: $(cat err)"
grep -q 'x=50 y=70: tile=1' out || fail "two: says $(cat out)"

# Ended by a signal while a size is measured: what was measured is in the results and in the header, as at the end of another run.
cat >slow.sh <<'END'
[ "$1$2" != 2001 ] || { touch reached && sleep 60; }
awk -v n="$1" -v tile="$2" 'BEGIN { print "cost", tile == 1 ? n : 2 * n }'
END
sh -c 'trap - INT; exec "$@"' sh "$program" --parameter tile=1,2 --default tile=2 --cost 'regex:cost (.*)' --unit '' --trials 2 --seed 1 --strategy random \
    --sizes 100,200 --header ended.hpp --results ended.results -- sh slow.sh '{x}' '{tile}' >out 2>err &
child=$!
tries=0
while [ ! -e reached ] && [ $tries -lt 400 ]; do sleep 0.05 && tries=$((tries + 1)); done
kill -s INT $child
status=0
wait $child || status=$?
[ "$status" = 130 ] || fail "ended: exit status $status: $(cat err)"
grep -q 'x=200: tile=2, 400, the default 400' out && grep -q 'x=100: ' out || fail "ended: says $(cat out), $(cat err)"
grep -q 'kernel_choice' ended.hpp && [ -s ended.results ] || fail 'ended: no header, or no results'

no() { words=$1 && shift && refuses "$words" --parameter tile=1,2,4 --trials 3 "$@"; }
no 'want numbers from 1 on with x between' --sizes 0 --header h.hpp -- sh cost.sh '{x}' '{tile}'
no "--sizes '1,,2' has nothing before or behind a comma" --sizes 1,,2 --header h.hpp -- sh cost.sh '{x}' '{tile}'
no "'5' twice, want each once" --sizes 5,5 --header h.hpp -- sh cost.sh '{x}' '{tile}'
no '--sizes makes a header, want --header FILE' --sizes 5 -- sh cost.sh '{x}' '{tile}'
no '--sizes fills {x}, {y} and {z}, want one of them' --sizes 5 --header h.hpp -- sh cost.sh 5 '{tile}'
no 'want it without --log' --sizes 5 --header h.hpp --log l.jsonl -- sh cost.sh '{x}' '{tile}'
for other in '--dry-run' '--json' '--export-csv f' '--export-json f' '--export-markdown f'; do
    # shellcheck disable=SC2086 # an option and its file
    no "want it without ${other%% *}" --sizes 5 --header h.hpp $other -- sh cost.sh '{x}' '{tile}'
done
echo 1 >inputs
no '--sizes has a configuration for each size, and --instances one for all' --sizes 5 --header h.hpp --instances inputs -- sh cost.sh '{x}' '{instance}'
no "the parameter 'x' has the name of a number of --sizes" --parameter x=1,2 --sizes 5 --header h.hpp -- echo '{x}' '{tile}'
exit $bad
