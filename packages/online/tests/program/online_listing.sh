#!/bin/sh
# SPDX-License-Identifier: MIT
# The first listing of docs/online.md is packages/online/examples/transpose.cpp, and what it prints, first and with what it left in its file,
# is what stands under it, but for the numbers and how far the search came on this machine.
set -eu
cd "$(dirname "$0")/../../../.."
page=$PWD/docs/online.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
block() { awk -v what="$1" '/^```/ { if (on) exit; on = index($0, "```" what) == 1; next } on' "$page"; }
block cpp >"$work/listing"
sed '1,/^$/d' packages/online/examples/transpose.cpp | sed '1,/^$/d' | cmp -s - "$work/listing" ||
    { echo "the first listing of docs/online.md is not packages/online/examples/transpose.cpp"; exit 1; }
numbers() { sed 's/[0-9][0-9.]*/N/g; s/^[a-z ]*:/phase:/'; }
block text | numbers >"$work/wanted"
cd "$work"
"$1/examples/transpose" >printed
"$1/examples/transpose" >>printed
numbers <printed | cmp - wanted || { echo "docs/online.md has another output than:"; cat printed; exit 1; }
[ "$(grep -c 'rows=[0-9]* cols=[0-9]*; then rows=' tuned.txt)" = 1 ] || { echo "the winner was not kept"; exit 1; }
