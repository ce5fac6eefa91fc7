#!/bin/sh
# SPDX-License-Identifier: MIT
# tune.sh FOLDER [--short] [CALLS]: a stencil that tunes itself while it computes: time to solution as written, tuned from nothing, and once
# more from the file that the first tuned run left, of so many calls each. What is tuned is in stencil.cpp; compiled in FOLDER with the headers
# of this checkout.
set -eu
. "$(dirname "$0")/../support.sh"
calls=${1:-1500}
case $calls in *[!0-9]* | 0*) echo "tune.sh: CALLS is '$calls', want a number from 1 on" >&2 && exit 2 ;; esac
CXX=${CXX:-g++}
wants "$CXX" g++ 'the C++ compiler g++ 12 or newer'
if [ -z "$lacks" ] && ! echo 'int main() {}' | "$CXX" -fopenmp -x c++ - -o probe 2>/dev/null; then lacks='
  OpenMP for this compiler (Debian: libgomp1 and g++, or libomp-dev and clang)'; fi
wants_end alone
new='#if defined(__clang__) ? __clang_major__ < 14 : __GNUC__ < 12
#error
#endif'
echo "$new" | "$CXX" -fsyntax-only -x c++ - 2>/dev/null || {
    echo "this story wants g++ 12, clang 14 or newer, this machine has $("$CXX" --version | head -n 1) (Debian 12: g++)" >&2
    exit 77
}
root=$(cd "$here/../../.." && pwd)
"$CXX" -std=c++20 -O3 -march=native -ffp-contract=off -fopenmp -I"$root/include" -I"$root/packages/processes/include" -I"$root/packages/online/include" "$here/stencil.cpp" \
    "$root/packages/processes/include/tunekit/processes/processes.cpp" -o stencil

if [ $short = yes ]; then rounds=2 calls=200; else rounds=8; fi
rm -f written first second
round=0
while [ $round -lt $rounds ]; do
    rm -f tuned.txt
    [ $((round % 2)) = 1 ] || ./stencil $calls >>written
    ./stencil $calls tuned.txt >>first
    ./stencil $calls tuned.txt >>second
    [ $((round % 2)) = 0 ] || ./stencil $calls >>written
    round=$((round + 1))
done
[ "$(sed 's/.*; sum //' written first second | sort -u | wc -l)" = 1 ] || { echo 'tune.sh: a configuration changed the result' >&2 && exit 1; }
for which in written first second; do sed 's/^seconds \([0-9.]*\) of \([0-9.]*\),.*/\1 \2/' $which >$which.seconds; done
paste -d ' ' written.seconds first.seconds second.seconds >shown.seconds
{
    here_and_now
    "$CXX" --version | head -n 1
    echo "time to solution of $calls calls, $rounds rounds in turn: how many times as much, median, 95 %; then processor time; then its sums"
    echo "as written for tuned while it ran       $(gain median shown.seconds 1 3)   $(gain median shown.seconds 2 4)   $(gain total shown.seconds 2 4)"
    echo "as written for the second run           $(gain median shown.seconds 1 5)   $(gain median shown.seconds 2 6)   $(gain total shown.seconds 2 6)"
    echo "the last runs: $(tail -n 1 written)"
    tail -n 1 first
    tail -n 1 second
} | tee result
