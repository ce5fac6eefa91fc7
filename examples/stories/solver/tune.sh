#!/bin/sh
# SPDX-License-Identifier: MIT
# tune.sh FOLDER [--short] [OPTION...]: options of cadical 1.5.3 for a family of instances: chosen on one half, shown on another. With
# --start-from LOG the search begins with what an earlier one found, here or on another machine.
set -eu
. "$(dirname "$0")/../support.sh"
wants cadical cadical 'the SAT solver CaDiCaL 1.5.3'
wants bash bash 'the shell bash'
wants_end
wants_version 'cadical 1.5.3, which calls itself' "$(cadical --version)" sc2021 cadical

if [ $short = yes ]; then few=2 many=4 bits=9 variables=100; else few=6 many=20 bits=15 variables=200; fi
rm -rf chosen_on shown_on
sh "$here/generate.sh" chosen_on 0 $few $bits $variables
sh "$here/generate.sh" shown_on 1000 $many $bits $variables
family() { bash "$here/family.sh" "$@"; }
family chosen_on /dev/null >chosen_on.right

if [ $short = yes ]; then trials=5; else trials=60; fi
has --trials "$@" || set -- --trials $trials "$@"
rm -f choice.jsonl
sh "$here/search.sh" chosen_on chosen_on.right choice.jsonl "$@" >choice.out || { status=$? && cat choice.out && exit $status; }
cat choice.out
options=$(sed -n 's|^bash .*family.sh .*/dev/null ||p' choice.out)

# In turn, so that what the machine does beside it comes to all. --sat and --unsat are what the solver itself offers for such families.
rm -f default.* sat.* unsat.* tuned.*
# shellcheck disable=SC2086 # words of a list
for which in default sat unsat tuned tuned unsat sat default; do
    case $which in default) set -- ;; sat | unsat) set -- --$which ;; tuned) set -- $options ;; esac
    [ -e $which.first ] && to=$which.second || to=$which.first
    family shown_on $to "$@" >$which.said
    cmp $which.said default.said
done
paste default.first default.second sat.first sat.second unsat.first unsat.second tuned.first tuned.second |
    awk '{ print $1 + $2 + $3 + $4, $5 + $6 + $7 + $8, $9 + $10 + $11 + $12, $13 + $14 + $15 + $16 }' >shown.seconds
{
    echo
    here_and_now
    echo "options: $options"
    echo "$((2 * many)) instances that had no part in the choice: times as much processor time in all, 95 % over instances"
    echo "the default for the tuned options  $(gain total shown.seconds 1 4)"
    echo "the default for --sat              $(gain total shown.seconds 1 2)"
    echo "the default for --unsat            $(gain total shown.seconds 1 3)"
    echo "--sat for the tuned options        $(gain total shown.seconds 2 4)"
    for kind in factor random; do
        paste -d ' ' default.said shown.seconds | sed -n "s/^$kind-[^ ]* [0-9]* //p" >$kind.seconds
        echo "the default for the tuned, $kind  $(gain total $kind.seconds 1 4)"
    done
} | tee result
