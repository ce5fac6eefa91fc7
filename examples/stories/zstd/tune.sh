#!/bin/sh
# SPDX-License-Identifier: MIT
# tune.sh FOLDER [FILE...]: the front of speed and size of zstd for your data, against the levels 1 to 19 of the same binary. It is chosen on one
# half of the data and shown on the other. FILE... are the data, half of them (or of the only file) for each; without them the texts and
# programs of this machine are taken. Environment: TRIALS (200), RACE (120, seconds of the comparison on the second half).
# tune_command must be in the PATH. Exit status 77 where there is no zstd.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift
command -v zstd >/dev/null || { echo 'tune.sh: there is no zstd, want the package zstd' && exit 77; }
most=8388608 # bytes of each half

# The data: every second file for each half; of a single one its two halves.
rm -f "$out/first" "$out/second"
: >"$out/first"
: >"$out/second"
if [ $# = 1 ]; then
    bytes=$(wc -c <"$1")
    half=$((bytes / 2))
    [ $half -le $most ] || half=$most
    head -c $half "$1" >"$out/first"
    tail -c $half "$1" >"$out/second"
else
    [ $# -gt 0 ] || set -- /usr/share/common-licenses/* /usr/share/perl/5*/*.pm /usr/share/perl/5*/*.pl /bin/bash /usr/bin/perl /bin/tar /usr/lib/*/libc.so.6
    to=first
    for file in "$@"; do
        [ -f "$file" ] || continue
        cat "$file" >>"$out/$to"
        [ $to = first ] && to=second || to=first
    done
    for half in first second; do
        head -c $most "$out/$half" >"$out/part"
        mv "$out/part" "$out/$half"
    done
fi
[ -s "$out/first" ] && [ -s "$out/second" ] || { echo 'tune.sh: there are no data, want two files or one that is not empty' && exit 2; }
echo "zstd $(zstd --version | grep -o 'v[0-9.]*' | head -n 1), $(wc -c <"$out/first") bytes to choose on, $(wc -c <"$out/second") to show on"

# What to choose from: the search on the first half.
# shellcheck disable=SC1083 # placeholders
tune_command --space "$here/space.json" --strategy parego --trials "${TRIALS:-200}" --repeat 3 --seed "${SEED:-1}" --log "$out/first.jsonl" --report "$out/first.html" \
    --number 'bytes=size:{scratch}/out.zst' --json \
    -- "$here/compress.sh" "$out/first" '{scratch}/out.zst' '--zstd=strategy={strategy},wlog={window},hlog={hash},clog={chain},slog={search},mml={match},tlen={target}' >"$out/first.json"

# What it is shown against: the members of the front and the levels, each an option of zstd, on the second half.
{
    printf '{"parameters": [{"name": "option", "values": ['
    tr -d '\n ' <"$out/first.json" | sed 's/.*"front":\[//; s/\],"dominated".*//' |
        grep -o '"config":{[^}]*}' |
        sed 's/"config":{"strategy":\([0-9]*\),"window":\([0-9]*\),"hash":\([0-9]*\),"chain":\([0-9]*\),"search":\([0-9]*\),"match":\([0-9]*\),"target":\([0-9]*\)}/"--zstd=strategy=\1,wlog=\2,hlog=\3,clog=\4,slog=\5,mml=\6,tlen=\7", /' | tr -d '\n'
    level=1
    while [ $level -le 19 ]; do
        printf '"-%s"%s' $level "$([ $level = 19 ] || echo ', ')"
        level=$((level + 1))
    done
    printf ']}], "default": {"option": "-3"}}\n'
} >"$out/shown.json"
tune_command --space "$out/shown.json" --strategy grid --trials 100 --repeat 5 --seconds "${RACE:-120}" --log "$out/second.jsonl" --report "$out/second.html" \
    --number 'bytes=size:{scratch}/out.zst' --goals cost,bytes --json \
    -- "$here/compress.sh" "$out/second" '{scratch}/out.zst' '{option}' >"$out/second.json"
tune_report "$out/second.jsonl" --text
echo "pages: $out/first.html, $out/second.html"
