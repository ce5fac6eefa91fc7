#!/bin/sh
# SPDX-License-Identifier: MIT
# early.sh FOLDER [--short] [OPTION...]: what it is worth to give up on options before they ran on all instances. For each of eight seeds there
# are two runs of `tune_command --instances` with the same seconds, one of them with --every-instance; 40 other instances judge both winners by
# CPU time. SECONDS_EACH and SEEDS in the environment change the seconds of a run (300) and the seeds. The budget is wall time: run it on a
# quiet machine.
set -eu
. "$(dirname "$0")/../support.sh"
wants cadical cadical 'the SAT solver CaDiCaL 1.5.3'
wants_end
wants_version 'cadical 1.5.3, which calls itself' "$(cadical --version)" sc2021 cadical

seconds=${SECONDS_EACH-300} seeds=${SEEDS-1 2 3 4 5 6 7 8}
if [ $short = yes ]; then few=6 many=2 bits=9 variables=100 seconds=6 seeds='1 2'; else few=6 many=20 bits=15 variables=200; fi
rm -rf chosen_on shown_on
sh "$here/generate.sh" chosen_on 0 $few $bits $variables
sh "$here/generate.sh" shown_on 1000 $many $bits $variables
# A line for each instance: its file, and the exit status of the right answer, which the default gives.
for which in chosen_on shown_on; do
    for file in "$folder/$which"/*.cnf; do
        status=0
        cadical -q -n "$file" >/dev/null || status=$?
        echo "right=$status instance=$file"
    done >$which.list
done

for seed in $seeds; do
    for early in '' --every-instance; do
        # shellcheck disable=SC1083,SC2086 # placeholders; an option or nothing
        tune_command --space "$here/space.json" --cost cpu --run-seconds 30 --seed "$seed" --seconds "$seconds" $early --instances chosen_on.list \
            --holdout shown_on.list --log "run$early.$seed.jsonl" --json "$@" -- sh "$here/one.sh" {right} {instance} \
            --restartint={restartint} --restartmargin={restartmargin} --emagluefast={emagluefast} {stabilize} --stabilizeint={stabilizeint} \
            --scorefactor={scorefactor} --reduceint={reduceint} --reducetarget={reducetarget} --reducetier1glue={tier1} --reducetier2glue={tier2} \
            --target={target} --shrink={shrink} --elimboundmax={elimboundmax} \
            {elim} {probe} {vivify} {subsume} {ternary} {chrono} {bumpreason} {rephase} {walk} {lucky} {phase} {condition} {cover} {block} \
            >"run$early.$seed.json"
        trials=$(sed -n 's/^  "trials": \([0-9]*\),*/\1/p' "run$early.$seed.json")
        # One whose winner is the default is not run on the others: its ratio is 1.
        ratio=$(sed -n '/"holdout"/,$s/^    "ratio": \([0-9.e+-]*\),*/\1/p' "run$early.$seed.json" | head -1)
        echo "$seed ${early:-early} $trials ${ratio:-1}"
    done
done >each
awk '$2 == "early" { early[$1] = $4 } $2 != "early" { print $4, early[$1] }' each >pairs
{
    echo
    here_and_now
    echo 'seed, run, configurations tried, cost on the other instances divided by the default'"'"'s (geometric mean)'
    cat each
    echo "all instances each time for giving up early: times as much on the others $(gain median pairs 1 2)"
} | tee result
