#!/bin/sh
# SPDX-License-Identifier: MIT
# record.sh FOLDER [--trials N OPTION...]: records processor time and bytes of code of compress (Debian source package ncompress) as gcc 12 makes it, 5 runs of
# each of N (800) random configurations of two_goals.json, as FOLDER/goals.jsonl, a log of tune_command. Options are those of tune_command.
set -eu
. "$(dirname "$0")/../support.sh"
package=ncompress version=4.2.4.6
. "$here/sources.sh"
head -c 1500000 "$("$CC" -print-prog-name=cc1)" >recorded_on
cat /usr/include/[a-m]*.h | head -c 500000 >>recorded_on
sh "$here/build_compress.sh" "$package-$version" right -O1
right/compress -c recorded_on >recorded_on.right

has --trials "$@" || set -- --trials 800 "$@"
# shellcheck disable=SC1083 # placeholders
exec tune_command --space "$here/two_goals.json" --strategy random --repeat 5 --cost cpu --number 'bytes=size:{build}/code' --goals cost,bytes \
    --check output:recorded_on.right --log goals.jsonl "$@" \
    --build "sh $here/build_compress.sh $folder/$package-$version {build} {level} {target} {whole} {unroll} {inline} {limit} {vectorize} {align}
        {gcse} {branches} {tracer} {schedule} {induction} {reorder} {hoist}" \
    -- {build}/compress -c "$folder/recorded_on"
