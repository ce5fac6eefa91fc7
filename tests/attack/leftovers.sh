#!/bin/sh
# SPDX-License-Identifier: MIT
# leftovers.sh BUILD [--tenth] [--seed N]: runs of tune_command that write a page again and again are killed, at moments of their own; then the
# clock is two minutes on, and the next run in these folders leaves nothing of them, in TMPDIR, beside the page or beside the T4 file. What is
# another user's stays. A run whose reader left leaves nothing by itself.
set -eu
. "$(dirname "$0")/../support/attacks.sh"
fail() {
    echo "FAILED: $1; $(tail -n 2 err | tr '\n' '|')"
    bad=$((bad + 1))
}
mkdir tmp pages
export TMPDIR="$work/tmp"
echo '{"parameters": [{"name": "a", "values": [1, 2, 4, 8, 16, 32, 64, 128]}]}' >space.json
printf '#!/bin/sh\nsleep 0.01\necho $1\n' >program.sh
chmod +x program.sh
# run WORD...: a run with a page that is written whenever it can be; `again` makes each write slow enough to be met.
run() { "$@" "$tune" --space space.json --strategy random --repeat 1 --trials 8 --cost 'regex:^([0-9]+)$' --report pages/run.html --t4 pages/run.t4 -- ./program.sh '{a}' >out 2>err; }
left() { ls -d tmp/tunekit-* pages/*.new 2>/dev/null | wc -l; }

kills=0 most=0 met=0
while [ $kills -lt 40 ]; do
    kills=$((kills + 1))
    tries $kills || continue
    run env &
    child=$!
    sleep "0.$(printf %02d $(((kills * 7919 + seed) % 60 + 1)))"
    tuner=$(pgrep -P $child -f tune_command || true)
    [ -n "$tuner" ] || tuner=$child
    kill -s KILL $tuner 2>/dev/null && met=$((met + 1))
    wait $child 2>/dev/null || true
    [ "$(left)" -le "$most" ] || most=$(left)
done
# What a writer that was killed leaves is a file of its own name; some are there for certain.
for k in 1 2 3; do echo torn >pages/run.html.00000000000000a$k.new; done
mkdir -m 700 tmp/tunekit-program-AAAAAA
touch pages/run.html.0123456789abcdef.new
[ "$(id -u)" != 0 ] || chown 65534 pages/run.html.0123456789abcdef.new
run env || fail "exit status $?"
[ "$(left)" -ge 4 ] || fail "what is younger than a minute is gone: it may be in use"
run faulty TUNEKIT_TIME=120 || fail "exit status $?"
others=$([ "$(id -u)" = 0 ] && echo 1 || echo 0)
[ "$(left)" = "$others" ] || fail "left after the next run: $(ls tmp pages)"

# SIGPIPE, which `| true` and `| head` send: nothing is left, at once.
rm -rf tmp/* pages/*
for k in 1 2 3 4 5 6; do
    rm -f status
    { "$tune" --space space.json --strategy random --repeat 1 --trials 8 --report pages/run.html -- ./program.sh '{a}' 2>err || echo $? >status; } | true
    [ "$(cat status)" = 141 ] || fail "a reader that left: exit status $(cat status), want 141"
    [ "$(left)" = 0 ] || fail "a reader that left: left $(ls tmp pages)"
    [ -s pages/run.html ] || fail 'a reader that left: no page'
done
echo "$met of $kills killed, at most $most left beside each other, $bad bad"
[ "$bad" = 0 ]
