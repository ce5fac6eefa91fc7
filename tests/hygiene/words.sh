#!/bin/sh
# SPDX-License-Identifier: MIT
# words.sh ROOT: no source and no page says what tests/hygiene/words.txt has retired. Tests of wrong names (fail) and the pages of what was and why (words, rationale,
# claims) may.
set -eu
cd "$1"
scratch=$(mktemp)
trap 'rm -f "$scratch"' EXIT
grep -v '^#' tests/hygiene/words.txt | while read -r line; do
    word=$(printf '%s\n' "$line" | sed 's/   *.*//')
    instead=$(printf '%s\n' "$line" | sed 's/.*   *//')
    case $word in \[*) whole= ;; *) whole=-w ;; esac  # what begins with a dot stands behind a word
    grep -rnE $whole --include='*.hpp' --include='*.cpp' --include='*.cu' --include='*.md' --exclude-dir=fail --exclude=words.md --exclude=rationale.md --exclude=claims.md \
        -- "$word" include packages tools examples bench tests docs README.md .github |
        sed 's/^\([^:]*:[0-9]*\):.*/\1/' | while read -r where; do echo "$where: says '$word', want '$instead'"; done
done >"$scratch"
cat "$scratch"
[ ! -s "$scratch" ]
