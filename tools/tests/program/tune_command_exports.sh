#!/bin/sh
# SPDX-License-Identifier: MIT
# labels: fast
# What tune_command writes for others' tools: JSON as hyperfine writes it, where that is installed; CSV; a table in Markdown.
set -eu
program=$1/tools/tune_command
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../../tests/support/refuses.sh"
cd "$work"
run() { "$program" --strategy random --repeat 3 --no-checks --export-json all.json --export-csv all.csv --export-markdown best.md "$@" >out 2>err || fail "$*: exit status $?, $(cat err)"; }

run -L seconds 0.01,0.02 -P code 0 3 --default seconds=0.02 --ignore-failure --shell 'sleep {seconds}; exit {code}'
run -L seconds 0.01,0.02 -P code 0 3 --where 'code != 1' --default seconds=0.02 --shell 'sleep {seconds}; c={code}; exit $((c / 2))'
grep -q '^trial,index,seconds,code,cost_s,.*,user,system$' all.csv && [ "$(wc -l <all.csv)" = 7 ] || fail "CSV: $(cat all.csv)"
[ "$(grep -c ',exited,1,"\{0,1\}exit status 1' all.csv)" = 4 ] || fail "failures in CSV: $(cat all.csv)"
grep -q '^| seconds = 0.02, code = 0 (default) | .* | .* | [0-9.]* |$' best.md && [ "$(wc -l <best.md)" = 4 ] || fail "Markdown: $(cat best.md)"
grep -q ' | 1.00 |$' best.md || fail "the best in Markdown: $(cat best.md)"
"$program" --strategy random --repeat 2 --no-checks --cost 'regex:cost: ([0-9]+)' --export-markdown best.md -P n 1 30 --default n=30 \
    --shell 'echo >>calls; k=$(wc -l <calls); echo cost: {n}$((k % 2))' >out 2>err || fail "thirty configurations: exit status $?, $(cat err)"
[ "$(wc -l <best.md)" = 13 ] && grep -q '^| n = 30 (default) ' best.md || fail "more than ten in Markdown: $(cat best.md)"
# The terminal has the same ten beside the default, with their ratios, and what mattered.
[ "$(grep -c -e '^best ' -e '^tied ' -e '^unclear ' -e '^next ' out)" = 10 ] && [ "$(grep -c '^default ' out)" = 1 ] || fail "the ten best on the terminal: $(cat out)"
[ "$(sed -n 's/^\(default\|best\|tied\|unclear\|next\) .*\] *\([0-9.]*\)  n = \([0-9]*\)$/\3 \2/p' out)" = "$(sed -n 's/^| n = \([0-9]*\).*| \([0-9.]*\) |$/\1 \2/p' best.md)" ] ||
    fail "other ratios on the terminal than in Markdown: $(cat out best.md)"
grep -q '^what mattered: n [0-9]* %$' out || fail "what mattered: $(cat out)"

refuses '--export-json is of times as hyperfine has them, want it without --cost cpu' -L x 1,2 --export-json a.json --cost cpu -- true {x}
refuses '--export-csv "none/a.csv" cannot be written' -L x 1,2 --export-csv none/a.csv -- true {x}
refuses '--export-markdown "." is not a regular file' -L x 1,2 --export-markdown . -- true {x}

if command -v hyperfine >/dev/null && command -v python3 >/dev/null; then
    hyperfine -N --runs 3 --export-json theirs.json -L seconds 0.01,0.02 'sleep {seconds}' >out 2>err
    "$program" --strategy random --repeat 3 --no-checks --export-json all.json -L seconds 0.01,0.02 -- sleep {seconds} >out 2>err
    [ "$(python3 "$here/../support/same_form.py" theirs.json all.json)" = 2 ] || fail "another form than hyperfine's: $(cat all.json theirs.json)"
    "$program" --strategy random --repeat 1 --no-checks --ignore-failure --export-json any.json -L seconds 0.01,0.02 --shell 'sleep {seconds}; exit 3' >out 2>err
    [ "$(python3 "$here/../support/same_form.py" theirs.json any.json)" = 2 ] || fail "another form than hyperfine's: $(cat any.json)"
fi
exit $bad
