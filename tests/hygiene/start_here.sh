#!/bin/sh
# SPDX-License-Identifier: MIT
# start_here.sh ROOT COMPILER FLAG...: the words under "Start here" of docs/words.md are 63. processes.hpp has those of the item that names it, and tunekit.hpp all
# others without a star, with the FLAGs of the core and without Eigen; tunekit.hpp includes nothing that has none of them.
set -eu
cd "$1"
shift
section=$(awk '/^## / { on = /Start here/ } on && /^[*] / { list = 1 } on && list' docs/words.md)
bad=0
count=$(echo "$section" | grep -o '`[a-z_:0-9]*`\*\?' | wc -l)
[ "$count" = 63 ] || { echo "docs/words.md: $count words to start with, want 63"; bad=1; }
# bare OF_PROCESSES: the words without a star, of the item that names processes.hpp (1) or of all others (0).
bare() {
    echo "$section" | awk -v want="$1" '/^[*] / { of_processes = /processes[.]hpp/ } of_processes == want' |
        grep -o '`[a-z_:0-9]*`\*\?' | sed -n 's/^`\(.*\)`$/\1/p'
}
# has HEADER WORDS COMMAND...: it has them, as the compiler sees it.
has() {
    of=$1 list=$2
    shift 2
    {
        echo "#include \"tunekit/$of\""
        echo "$list" | while read -r word; do
            case $word in
            *::) echo "namespace start_${word%::} = tunekit::${word%::};" ;;
            *) echo "namespace start_$(echo "$word" | tr : _) { using tunekit::$word; }" ;;
            esac
        done
    } | "$@" -std=c++20 -fsyntax-only -x c++ - || { echo "$of lacks the words that the compiler names"; bad=1; }
}
words=$(bare 0)
has tunekit.hpp "$words" "$@"
of_processes=$(bare 1)
[ -z "$of_processes" ] || has processes.hpp "$of_processes" "$@" -Ipackages/processes/include
for header in $(sed -n 's/^#include "tunekit\/\(.*\)"$/\1/p' include/tunekit/tunekit.hpp); do
    floor=${header%%/*}
    floor=${floor%.hpp}
    case $header in version.hpp) continue ;; esac
    echo "$words" | grep -qx "$floor::" && continue
    of_floor=$(echo "$words" | sed -n "s/^$floor:://p")
    case $header in tune/*) of_floor=$(echo "$words" | grep -v :) ;; */*) ;; *) [ -z "$of_floor" ] || continue ;; esac
    # without a word there is no pattern, and an empty one would match
    { [ -n "$of_floor" ] && echo "$of_floor" | grep -qwFf - "include/tunekit/$header"; } || { echo "tunekit.hpp includes $header, which has no word to start with"; bad=1; }
done
exit $bad
