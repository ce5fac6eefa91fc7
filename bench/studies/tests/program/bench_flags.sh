#!/bin/sh
# SPDX-License-Identifier: MIT
# What bench_flags promises: wrong input is one line and exit status 2; the same numbers twice; on flags that do not interact hill
# climbing reaches the optimum and random search does not.
set -eu
bench=$1/studies/bench_flags
program=$bench
. "$(dirname "$0")/../../../../tests/support/refuses.sh"
refuses 'strategy "nothing" is unknown' --strategy combined,nothing
refuses "--only 'nothing': no family is called so" --only nothing --strategy random
refuses '--repeats is 0' --repeats 0
refuses '--evaluations has a 0' --evaluations 0,10

run() { "$bench" --only alone --repeats 3 --evaluations 20,300 "$@" | sed 's/ *[0-9.]*$//'; }
run --strategy hill-climb,bandit,random >"$work/first"
run --strategy hill-climb,bandit,random >"$work/second"
cmp -s "$work/first" "$work/second" || fail "two runs of one seed differ"
# Column 7 is the share of the way that is left after the second number of evaluations, in percent.
left() { awk -v name="$1" '$1 == name && $2 == "alone" { print $7 }' "$work/first"; }
echo "$(left hill-climb) $(left random)" | awk 'NF == 2 && $1 == 0 && $2 > 5 { ok = 1 } END { exit !ok }' ||
    fail "left are $(left hill-climb) % by hill climbing and $(left random) % at random"
"$bench" --only alone --repeats 2 --evaluations 30,60 --strategy random,bandit --json >"$work/json"
[ "$(json_rows "$work/json" rows)" = 4 ] || fail "JSON has not a row for each strategy and number of evaluations"
exit $bad
