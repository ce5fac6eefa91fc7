#!/bin/sh
# SPDX-License-Identifier: MIT
# labels: fast
# What tune_report promises: a page for whatever a log holds, hostile names and torn lines included, exit status 0 where
# something could be shown; text; pictures. Where Chromium is installed, pages are opened from the file system: nothing on
# the console, no horizontal overflow from 400 to 1600 px, light and dark, a text alternative for every picture.
set -eu
cd "$(dirname "$0")/../../.."
program=$1/tools/tune_report
. "./tests/support/refuses.sh"
. "./tests/support/opens_well.sh"
refuses 'cannot be opened' "$work/none.jsonl" --text
: >"$work/empty.jsonl"
refuses 'has no whole line' "$work/empty.jsonl" --text
refuses 'want -o FILE.html' "$work/none.jsonl" --watch
refuses '--wach is not an option, want --watch' "$work/none.jsonl" --wach
refuses 'cannot be written, want a file that can' "$work/none.jsonl" -o "$work/none/run.html"

# log NAME TRIALS: two parameters, of which the first decides; every eighth configuration fails.
log() {
    awk -v name="$1" -v n="$2" 'BEGIN {
        printf "{\"tunekit_log\":2,\"version\":\"0.2.0\",\"machine\":\"m\",\"seed\":1,\"strategy\":\"s\",\"schedule\":\"\",\"seconds\":null,\"slot_seconds\":0,\"batch\":0,\"workers\":2,"
        printf "\"budget\":{\"trials\":%d,\"patience\":null,\"workers_per_task\":null},", n
        printf "\"tasks\":[{\"name\":\"%s\",\"size\":64,\"fingerprint\":1,\"parameters\":[\"%s\",\"unroll\"],\"flops\":1e9,\"weight\":1}]}\n", name, name
        for (i = 0; i < n; ++i) {
            x = i * 5 % 8; y = int(i * 3 / 8) % 8
            printf "{\"tell\":%d,\"worker\":%d,\"stamp_s\":%.1f,\"task\":0,\"batch\":0,\"index\":%d,\"values\":[\"%d\",\"%s\"],", i, i % 2, 0.5 * i + 0.5, x * 8 + y, x, y == 3 ? name : y
            printf "\"limits\":{\"abandon_above\":null,\"run_s\":10,\"build_s\":10},"
            if (x == 7) printf "\"cost\":null,\"spread\":0,\"runs\":0,\"at_least\":false,\"build_s\":0.1,\"run_s\":0,\"failed\":{\"kind\":\"crash\",\"code\":11,\"message\":\"%s\"},", name
            else printf "\"cost\":%.6g,\"spread\":1e-6,\"runs\":5,\"at_least\":false,\"build_s\":0.1,\"run_s\":0.3,", 0.001 * (1 + x) * (1 + 0.001 * y)
            printf "\"batches\":[],\"ended_ns\":%d}\n", 5e8 * (i + 1)
        }
    }' >"$work/log.jsonl"
}
shows() { "$program" "$work/log.jsonl" -o "$work/$1.html" --text >"$work/$1.txt" || fail "$1: exit status $?, want 0"; }

log gemm 200 && shows whole
grep -q 'The best configuration takes 1.00' "$work/whole.txt" || fail "no verdict in the text"
grep -q 'build\|crash' "$work/whole.txt" || fail "no failures in the text"
head -c 20000 "$work/log.jsonl" >"$work/torn" && mv "$work/torn" "$work/log.jsonl" && shows torn
log gemm 3 && echo 'NaN' >>"$work/log.jsonl" && shows broken
grep -q 'is not whole' "$work/broken.html" || fail "a broken line is not told of"
log gemm 1 && shows one
log gemm 0 && shows none
grep -q 'Nothing was measured yet' "$work/none.txt" || fail "an empty run is not told of"
log '<script>alert(1)</script><img src=x onerror=alert(2)>' 100 && shows hostile
[ "$(grep -c '<script' "$work/hostile.html")" = 1 ] || fail "a name became a script"
! grep -q '<img' "$work/hostile.html" || fail "a name became a picture"
# What the page lets run is its own script, by its sum, and nothing that would be put into it.
if command -v openssl >/dev/null; then
    sum=$({ echo && sed -n '/^<script>$/,/^<\/script>$/p' "$work/hostile.html" | sed '1d;$d'; } | openssl dgst -sha256 -binary | openssl base64)
    grep -qF "script-src 'sha256-$sum'\"" "$work/hostile.html" || fail "the page's policy is not of its script, $sum"
fi
"$program" "$work/log.jsonl" --svg "$work/svg" >"$work/out" || fail "--svg: exit status $?"
head -c 4 "$work/svg/tuning_curve_0.svg" | grep -q '<svg' || fail "--svg wrote no picture"

opens_well whole hostile none broken
exit $bad
