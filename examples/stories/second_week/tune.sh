#!/bin/sh
# SPDX-License-Identifier: MIT
# tune.sh FOLDER [--short] [LOG]: the story of solver/ once more, with other inputs, without and with what LOG knows: a log of it from another week
# or another machine, or the one that lies beside this script. Tells the evaluations until within 5 % of the best of all runs.
set -eu
. "$(dirname "$0")/../support.sh"
log=${1:-$here/week_one.jsonl}
case $log in /*) ;; *) log=$came_from/$log ;; esac
solver=$(cd "$here/../solver" && pwd)
wants cadical cadical 'the SAT solver CaDiCaL 1.5.3'
wants bash bash 'the shell bash'
wants_end
wants_version 'cadical 1.5.3, which calls itself' "$(cadical --version)" sc2021 cadical
[ -s "$log" ] || { echo "tune.sh: no log $log, want one of solver/tune.sh" >&2 && exit 2; }

if [ $short = yes ]; then few=2 bits=9 variables=100 trials=6 seeds=1; else few=3 bits=15 variables=200 trials=16 seeds='1 2 3'; fi
rm -rf inputs cold-* warm-*
sh "$solver/generate.sh" inputs 2000 $few $bits $variables
bash "$solver/family.sh" inputs /dev/null >right
for seed in $seeds; do
    for which in cold warm; do
        if [ $which = cold ]; then set --; else set -- --start-from "$log"; fi
        # shellcheck disable=SC1083 # placeholders
        sh "$solver/search.sh" inputs right $which-"$seed".jsonl --trials $trials --seed "$seed" "$@" >$which-"$seed".out
    done
done
# costs LOG...: of the trials, null where one failed. until_near LOG: how many trials until the first that is near to the best.
costs() { sed -n 's/^{"tell":.*"cost":\([-+.0-9enul]*\),.*/\1/p' "$@"; }
lowest() { costs "$@" | grep -v null | LC_ALL=C sort -g | head -n 1; }
best=$(lowest cold-*.jsonl warm-*.jsonl)
until_near() { costs "$1" | awk -v want="$best" '$1 > 0 && $1 <= 1.05 * want { found = 1; exit } END { print NR (found ? "" : ", none") }'; }
{
    here_and_now
    echo "evaluations until within 5 % of the best of all runs ($best s), and the lowest cost in $trials, s:"
    for seed in $seeds; do
        for which in cold warm; do
            echo "seed $seed, $which: $(until_near $which-"$seed".jsonl), $(lowest $which-"$seed".jsonl)"
        done
    done
} | tee result
