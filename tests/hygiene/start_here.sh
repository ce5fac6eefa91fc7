#!/bin/sh
# SPDX-License-Identifier: MIT
# start_here.sh ROOT COMPILER FLAG...: the words under "Start here" of docs/words.md are 63; tunekit.hpp has those without a star, with the FLAGs of the core and
# without Eigen, and includes nothing that has none of them.
set -eu
cd "$1"
shift
section=$(awk '/^## / { on = /Start here/ } on && /^[*] / { list = 1 } on && list' docs/words.md)
words=$(echo "$section" | grep -o '`[a-z_:0-9]*`\*\?')
bad=0
count=$(echo "$words" | wc -l)
[ "$count" = 63 ] || { echo "docs/words.md: $count words to start with, want 63"; bad=1; }
bare=$(echo "$words" | sed -n 's/^`\(.*\)`$/\1/p')
{
    echo '#include "tunekit/tunekit.hpp"'
    echo "$bare" | while read -r word; do
        case $word in
        *::) echo "namespace start_${word%::} = tunekit::${word%::};" ;;
        *) echo "namespace start_$(echo "$word" | tr : _) { using tunekit::$word; }" ;;
        esac
    done
} | "$@" -std=c++20 -fsyntax-only -x c++ - || { echo "tunekit.hpp lacks the words that the compiler names"; bad=1; }
for header in $(sed -n 's/^#include "tunekit\/\(.*\)"$/\1/p' include/tunekit/tunekit.hpp); do
    floor=${header%%/*}
    floor=${floor%.hpp}
    case $header in version.hpp) continue ;; esac
    echo "$bare" | grep -qx "$floor::" && continue
    of_floor=$(echo "$bare" | sed -n "s/^$floor:://p")
    case $header in tune/*) of_floor=$(echo "$bare" | grep -v :) ;; */*) ;; *) [ -z "$of_floor" ] || continue ;; esac
    # without a word there is no pattern, and an empty one would match
    { [ -n "$of_floor" ] && echo "$of_floor" | grep -qwFf - "include/tunekit/$header"; } || { echo "tunekit.hpp includes $header, which has no word to start with"; bad=1; }
done
exit $bad
