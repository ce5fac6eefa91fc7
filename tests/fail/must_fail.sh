#!/bin/sh
# SPDX-License-Identifier: MIT
# must_fail.sh FILE COMPILER FLAG...: FILE does not compile, and what the compiler says matches the extended regular expression
# of its first line, `// expect: REGEX`.
set -eu
file=$1
shift
expect=$(sed -n '1s,^// expect: ,,p' "$file")
[ -n "$expect" ] || { echo "$file: the first line is not '// expect: REGEX'"; exit 1; }
if said=$("$@" -std=c++20 -fsyntax-only "$file" 2>&1); then
    echo "$file: compiles, but must not"
    exit 1
fi
if ! printf '%s\n' "$said" | grep -Eq -- "$expect"; then
    echo "$file: fails, but not with: $expect"
    printf '%s\n' "$said"
    exit 1
fi
