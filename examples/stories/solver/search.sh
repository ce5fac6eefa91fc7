#!/bin/sh
# SPDX-License-Identifier: MIT
# search.sh FOLDER RIGHT LOG [OPTION...]: looks for options of cadical that are fast on all instances of FOLDER together; RIGHT is what family.sh
# prints of them. Options are those of tune_command, which must be in the PATH.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
instances=$(cd "$1" && pwd) right=$2 log=$3
shift 3
# shellcheck disable=SC1083 # placeholders
tune_command --space "$here/space.json" --cost cpu --repeat 1 --check "output:$right" --log "$log" --run-seconds 60 "$@" \
    -- bash "$here/family.sh" "$instances" /dev/null \
    --restartint={restartint} --restartmargin={restartmargin} --emagluefast={emagluefast} {stabilize} --stabilizeint={stabilizeint} \
    --scorefactor={scorefactor} --reduceint={reduceint} --reducetarget={reducetarget} --reducetier1glue={tier1} --reducetier2glue={tier2} \
    --target={target} --shrink={shrink} --elimboundmax={elimboundmax} \
    {elim} {probe} {vivify} {subsume} {ternary} {chrono} {bumpreason} {rephase} {walk} {lucky} {phase} {condition} {cover} {block}
