#!/bin/sh
# SPDX-License-Identifier: MIT
# labels: fast
# What score_strategy promises: wrong input is one line and exit status 2; scores as text, JSON and a page; trajectories that it wrote
# score as the strategy that made them; other tuners' files, with lines left out, are ranked with it. Where Chromium is installed it opens
# the page of two strategies, of one alone, and of a folder whose name is hostile.
set -eu
cd "$(dirname "$0")/../../.."
program=$1/tools/score_strategy
. "./tests/support/refuses.sh"
. "./tests/support/opens_well.sh"
refuses 'there is nothing to score'
refuses 'strategy "nothing" is unknown' --strategy nothing
refuses 'is not a folder, want one with recorded spaces' --strategy random --spaces "$work/none"
refuses 'holds no such recorded space' --strategy random --spaces packages/scoring/recordings --only nothing
refuses 'has none of the spaces' --trajectories "$work" --spaces packages/scoring/recordings/gemm_Out.params
refuses 'cannot be written' --strategy random --html "$work/none/page.html"
refuses 'want counts of 1 or more' --strategy random --spaces packages/scoring/recordings --repeats 0

"$program" --list | grep -qx hill-climb || fail "--list lacks hill-climb"
few() { "$program" --spaces packages/scoring/recordings --only gemm_Out --repeats 3 "$@"; }
few --strategy hill-climb,random --out "$work/trajectories" --html "$work/page.html" --json "$work/scores.json" >"$work/text" || fail "exit status $?"
[ "$(json_rows "$work/scores.json" standings)" = 2 ] || fail "JSON has not two standings"
[ "$(json_rows "$work/scores.json" differences)" = 1 ] || fail "JSON has not one difference"
grep -q 'random - hill-climb: S200 -' "$work/text" || fail "no difference in the text"
grep -q '<svg' "$work/page.html" || fail "no picture in the page"
hostile='<img src=x onerror=alert(1)>&"'
cp -R "$work/trajectories/random" "$work/trajectories/$hostile"
few --trajectories "$work/trajectories/hill-climb,$work/trajectories/$hostile" --html "$work/hostile.html" >/dev/null || fail "a hostile name: exit status $?"
! grep -q '<img' "$work/hostile.html" || fail "a name became a picture"
few --strategy random --html "$work/alone.html" >/dev/null || fail "one strategy alone: exit status $?"
opens_well page hostile alone
few --trajectories "$work/trajectories/hill-climb,$work/trajectories/random" >"$work/again"
# Without own time and failures, which a file of trajectories does not tell.
numbers() { sed -n 's/^\(hill-climb\|random\) \(.*\)$/\1 \2/p' "$work/$1" | awk '/gemm_Out/ { print $1, $2, $3, $4, $5, $6, $7 }'; }
[ -n "$(numbers text)" ] && [ "$(numbers text)" = "$(numbers again)" ] || fail "trajectories score '$(numbers again)', the strategies '$(numbers text)'"

# Another tuner: a gzip file, lines where something got better and the last.
mkdir "$work/theirs"
awk -F, 'NR == 1 { print "repeat,eval,sim_time_s,best_ms"; next }
    { if ($1 != r && NR > 2 && held != "") print held; if ($1 != r || $4 != b) { print $1 "," $2 "," $3 "," $4; held = "" } else held = $1 "," $2 "," $3 "," $4; r = $1; b = $4 }
    END { if (held != "") print held }' "$work/trajectories/hill-climb/gemm_Out.csv" | gzip >"$work/theirs/gemm_Out.csv.gz"
few --strategy hill-climb --trajectories "$work/theirs/" --json - >"$work/json"
[ "$(json_rows "$work/json" standings)" = 2 ] || fail "their trajectories are not ranked"
same=$(sed -n '/"differences"/,/"outcomes"/p' "$work/json" | awk '/"s":/ { s = 1 } s && /"mean":/ { print ($2 + 0 == 0); exit }')
[ "$same" = 1 ] || fail "S200 of a run with lines left out is another than that of the whole"
TUNEKIT_RECORDINGS=packages/scoring/recordings/squeezenet "$program" --strategy random --only S1 --repeats 1 | grep -q ' S18 ' || fail "TUNEKIT_RECORDINGS is not looked at"
exit $bad
