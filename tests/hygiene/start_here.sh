#!/bin/sh
# SPDX-License-Identifier: MIT
# start_here.sh ROOT COMPILER FLAG...: the words under "Start here" of docs/words.md are 63. The header that stands before a word in its item has it, tunekit.hpp where there
# is none: all without a star compile with the FLAGs of the core, without Eigen; tunekit.hpp includes nothing that has none of its words.
set -eu
cd "$1"
shift
section=$(awk '/^## / { on = /Start here/ } on && /^[*] / { list = 1 } on && list' docs/words.md)
bad=0
count=$(echo "$section" | grep -o '`[a-z_:0-9]*`\*\?' | wc -l)
[ "$count" = 63 ] || { echo "docs/words.md: $count words to start with, want 63"; bad=1; }
# HEADER WORD, a line for each word without a star.
placed=$(echo "$section" | awk '
    /^[*] / { ++n }
    { items[n] = items[n] " " $0 }
    END {
        for (i = 1; i <= n; ++i) {
            header = "tunekit/tunekit.hpp"
            for (rest = items[i]; match(rest, /`[^`]*`[*]?/); rest = substr(rest, RSTART + RLENGTH)) {
                word = substr(rest, RSTART + 1, RLENGTH - 2)
                if (word ~ /[.]hpp$/) header = word
                else if (word ~ /^[a-z_:0-9]+$/) print header, word
            }
        }
    }')
# in_header HEADER: its words.
in_header() { echo "$placed" | sed -n "s,^$1 ,,p"; }
for header in $(echo "$placed" | sed 's/ .*//' | LC_ALL=C sort -u); do
    root=
    [ -e "include/$header" ] || for folder in packages/*/include; do [ ! -e "$folder/$header" ] || root=-I$folder; done
    {
        echo "#include \"$header\""
        in_header "$header" | while read -r word; do
            case $word in
            *::) echo "namespace start_${word%::} = tunekit::${word%::};" ;;
            *) echo "namespace start_$(echo "$word" | tr : _) { using tunekit::$word; }" ;;
            esac
        done
    } | "$@" -std=c++20 -fsyntax-only -x c++ $root - || { echo "${header#tunekit/} lacks the words that the compiler names"; bad=1; }
done
words=$(in_header tunekit/tunekit.hpp)
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
