#!/bin/sh
# SPDX-License-Identifier: MIT
# record.sh FILE LOG [TRIALS]: records time and size of zstd on FILE for TRIALS (2000) random configurations of space.json, 5 runs each, as a log of
# tune_command: a recorded space of two goals. Let nothing else run meanwhile.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck disable=SC1083 # placeholders
tune_command --space "$here/space.json" --strategy random --trials "${3:-2000}" --repeat 5 --goals cost,bytes --log "$2" --number 'bytes=size:{scratch}/out.zst' --run-seconds 300 \
    -- "$here/compress.sh" "$1" '{scratch}/out.zst' '--zstd=strategy={strategy},wlog={window},hlog={hash},clog={chain},slog={search},mml={match},tlen={target}'
