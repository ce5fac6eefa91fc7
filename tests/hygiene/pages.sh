#!/bin/sh
# SPDX-License-Identifier: MIT
# pages.sh ROOT: links of pages lead somewhere, README or docs/parts.md leads to every user page and some user page to every study, files that are named
# exist (the changelog may name what was), every example and tool stands in examples/README.md with the purpose that it begins with, and every floor and package stands in the
# table of docs/parts.md and in the picture of docs/architecture.md. pages.py beside it holds the pattern of the pages.
set -eu
cd "$1"
bad=0
complain() {
    echo "$1"
    bad=1
}

# prose PAGE: without code blocks.
prose() { awk '/^ *```/ { code = !code; next } !code && !/^    /' "$1"; }
# anchors PAGE: its headings as they are linked to.
anchors() {
    prose "$1" | sed -n 's/^##* *//p' | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

for page in README.md CHANGELOG.md .github/*.md docs/*.md docs/studies/*.md docs/reference/*.md tests/README.md examples/README.md examples/command_line/README.md packages/*/README.md packages/scoring/recordings/README.md bench/studies/data/README.md; do
    [ -e "$page" ] || complain "$page: is not there"
    folder=$(dirname "$page")
    for link in $(prose "$page" | grep -o '\](\([^) ]*\))' | sed 's/^](//; s/)$//'); do
        case $link in http://* | https://*) continue ;; esac
        file=${link%%#*}
        if [ -z "$file" ]; then file=$page; else file=$folder/$file; fi
        if [ ! -e "$file" ]; then
            complain "$page: the link '$link' leads nowhere"
        elif [ "$link" != "${link#*#}" ] && ! anchors "$file" | grep -qx -- "${link#*#}"; then
            complain "$page: the link '$link': no such heading"
        fi
    done
    for name in $(prose "$page" | grep -o '`[^`]*`' | tr -d '`' | tr ' ' '\n' |
        grep -E '^(\.ci|bench|cmake|docs|examples|include|packages|scripts|tests|tools)/[a-z0-9_./-]*[a-z0-9_]$'); do
        case $name in bench/bench_*) continue ;; esac  # programs, as they lie in a build directory
        [ "$page" = CHANGELOG.md ] || [ -e "$name" ] || [ -e "$name.cpp" ] || complain "$page: there is no '$name'"
    done
done
for page in docs/*.md; do
    prose README.md | grep -qF "($page" || prose docs/parts.md | grep -qF "(${page#docs/}" ||
        complain "README.md and docs/parts.md: no link to $page"
done
for study in docs/studies/*.md; do
    cat docs/*.md | grep -qF "(studies/${study##*/}" || complain "docs/*.md: no link to $study"
done
for example in examples/*.cpp tools/*.cpp packages/*/examples/*.cpp packages/*/examples/*.cu; do
    purpose=$(sed -n '3s,^// ,,p' "$example")
    [ -n "$purpose" ] || complain "$example: the third line is no comment with its purpose"
    grep -qF "(../$example): $purpose" examples/README.md || complain "examples/README.md: no '$example' with its purpose"
done
picture=$(awk '/^```/ { n++ } n % 2' docs/architecture.md)
table=$(grep '^[*] `' docs/parts.md)
for floor in include/tunekit/*/ packages/*/; do
    floor=$(basename "$floor")
    echo "$picture" | grep -qw -- "$floor" || complain "docs/architecture.md: the picture lacks $floor"
    echo "$table" | grep -q -- "\`$floor\`" || complain "docs/parts.md: the table lacks $floor"
done
exit $bad
