#!/bin/sh
# SPDX-License-Identifier: MIT
# must_fail.sh FILE COMPILER FLAG...: FILE does not compile, and what the compiler says is what the first lines of FILE want:
#     // expect: REGEX         somewhere in the message; the first line of FILE, and always there
#     // first error: REGEX    in the first line that is an error; any number of these and of the next
#     // first lines: REGEX    within what a person reads first: up to three lines behind that line
# The first error is among the first twelve lines.
# Regular expressions are extended ones.
set -eu
file=$1
shift
wanted() { sed -n "s,^// $1: ,,p" "$file"; }
expect=$(sed -n '1s,^// expect: ,,p' "$file")
[ -n "$expect" ] || { echo "$file: the first line is not '// expect: REGEX'"; exit 1; }
if said=$("$@" -std=c++20 -fsyntax-only "$file" 2>&1); then
    echo "$file: compiles, but must not"
    exit 1
fi
refuse() {
    echo "$file: fails, but $1"
    printf '%s\n' "$said"
    exit 1
}
printf '%s\n' "$said" | grep -Eq -- "$expect" || refuse "not with: $expect"
first=$(printf '%s\n' "$said" | grep -m 1 ' error: ')
[ "$(printf '%s\n' "$said" | grep -n -m 1 ' error: ' | cut -d: -f1)" -le 12 ] || refuse 'its first error is below line 12'
wanted 'first error' | while IFS= read -r line; do
    printf '%s\n' "$first" | grep -Eq -- "$line" || refuse "its first error does not say: $line"
done
head=$(printf '%s\n' "$said" | awk '/ error: / && !error { error = NR } !error || NR <= error + 3')
wanted 'first lines' | while IFS= read -r line; do
    printf '%s\n' "$head" | grep -Eq -- "$line" || refuse "its first lines do not say: $line"
done
