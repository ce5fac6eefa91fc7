#!/bin/sh
# SPDX-License-Identifier: MIT
# reach.sh ROOT COMPILER FLAG...: what a header brings in from outside, indirectly too, is what cmake/floors.txt lets reach it, and an umbrella
# what reaches one of its headers. The core is read with the core's include path alone, processes with that and its own, compiled*.cpp of both, too:
# tunekit.hpp and all of processes need no library, whatever floors.txt says. <chrono> reaches nobody; where Eigen is let in, so is what it brings;
# Boost reaches nobody.
set -eu
root=$1
shift
words() { awk -v key="$1:" '$1 == key { $1 = ""; print }' "$root/cmake/floors.txt"; }
words_of_all() { awk -v floor="$1" '($1 == floor ":" || index($1, floor "/") == 1) && !/ (opt-in|apart)/ { $1 = ""; printf "%s ", $0 }' "$root/cmake/floors.txt"; }
compiler=$1
shift
core=''
for flag in "$@"; do case $flag in "-I$root/packages/"*) ;; *) core="$core $flag" ;; esac; done
bad=0
scratch=$(mktemp)
trap 'rm -f "$scratch"' EXIT
cd "$root"
for header in $(find include packages/*/include -path '*/tunekit/*' \( -name '*.hpp' -o -name 'compiled*.cpp' \) ! -path '*/records/compiled.cpp' | LC_ALL=C sort); do
    own=${header##*include/tunekit/}
    case $own in
    processes[/.]* | *.cpp) let_in='' ;;
    */*) let_in=" $(words "${own%%/*}") $(words "$own") " ;;
    *) let_in=" $(words_of_all "${own%.hpp}") " ;;
    esac
    case $header in
    include/*) flags=$core ;;
    packages/processes/*) flags="$core -Ipackages/processes/include" ;;
    *) flags=$* ;;
    esac
    refused='chrono|thread|regex|format'
    case $let_in in *' json '*) ;; *) refused="$refused|iostream|random|ranges" ;; esac
    case $let_in in *' json '* | *' eigen '*) ;; *) refused="$refused|functional" ;; esac
    refused="/c[+][+]/([0-9.]+|v1)/($refused)\$"
    refused="$refused|/boost/"
    case $let_in in *' eigen '*) ;; *) refused="$refused|/Eigen/" ;; esac
    case $let_in in *' json '*) ;; *) refused="$refused|/nlohmann/" ;; esac
    case $let_in in *' zlib '*) ;; *) refused="$refused|/zlib[.]h\$" ;; esac
    case $own-$let_in in *.cpp-*) probe='-DTUNEKIT_COMPILED' ;; *' opt-in '*) probe='-MG' ;; *) probe='' ;; esac
    # shellcheck disable=SC2086 # words of a list
    if ! "$compiler" $flags -std=c++20 -M $probe -x c++ "$header" >"$scratch" 2>&1; then
        cat "$scratch"
        echo "$header: does not preprocess"
        bad=1
        continue
    fi
    for what in $(tr ' ' '\n' <"$scratch" | grep -E "$refused" | head -n 3); do
        echo "$header: brings in $what"
        bad=1
    done
done
exit $bad
