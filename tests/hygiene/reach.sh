#!/bin/sh
# SPDX-License-Identifier: MIT
# reach.sh ROOT COMPILER FLAG...: what a header brings in from outside, indirectly too, is what cmake/floors.txt lets reach it.
# tunekit.hpp needs a compiler and nothing else. <chrono> reaches nobody; where Eigen is let in, so is what it brings; Boost reaches nobody.
set -eu
root=$1
shift
words() { awk -v key="$1:" '$1 == key { $1 = ""; print }' "$root/cmake/floors.txt"; }
bad=0
scratch=$(mktemp)
trap 'rm -f "$scratch"' EXIT
cd "$root"
for header in $(find include packages/*/include -path '*/tunekit/*/*.hpp' | LC_ALL=C sort) include/tunekit/tunekit.hpp; do
    own=${header#*/tunekit/}
    let_in=" $(words "${own%%/*}") $(words "$own") "
    refused='chrono|thread|regex|format'
    case $let_in in *' json '*) ;; *) refused="$refused|iostream|random|ranges" ;; esac
    case $let_in in *' json '* | *' eigen '*) ;; *) refused="$refused|functional" ;; esac
    refused="/c[+][+]/([0-9.]+|v1)/($refused)\$"
    refused="$refused|/boost/"
    case $let_in in *' eigen '*) ;; *) refused="$refused|/Eigen/" ;; esac
    case $let_in in *' json '*) ;; *) refused="$refused|/nlohmann/" ;; esac
    case $let_in in *' zlib '*) ;; *) refused="$refused|/zlib[.]h\$" ;; esac
    case $let_in in *' opt-in '*) probe='-MG' ;; *) probe='' ;; esac
    if ! "$@" -std=c++20 -M $probe -x c++ "$header" >"$scratch" 2>&1; then
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
