#!/bin/sh
# SPDX-License-Identifier: MIT
# listings.sh ROOT WORK COMPILER FLAG...: the C++ of README.md and docs/*.md compiles. A listing with `int main` is a program as it stands, those of README.md with the core and processes alone. The others of
# PAGE.md are bodies of functions in namespace PAGE, where tests/hygiene/listings/PAGE.hpp declares what they speak of; they are one translation
# unit, so that what they include is read once. On a page that says `<!-- each listing compiles alone -->` each is a unit of its own, so
# that its includes suffice. The listings of a page that says `<!-- listings of FILE -->`
# stand in FILE word for word, which is built and run elsewhere. CUDA's (```cuda) wants nvcc and is left out.
set -eu
root=$1 work=$2
shift 2
rm -rf "$work"
mkdir -p "$work"
cd "$root"
# first_steps COMMAND...: without the include paths of packages other than processes.
first_steps() {
    for word in "$@"; do
        shift
        case $word in -I*/packages/processes/*) set -- "$@" "$word" ;; -I*/packages/*) ;; *) set -- "$@" "$word" ;; esac
    done
    "$@"
}
bad=0 programs=0 fragments=0
for page in README.md docs/*.md; do
    name=$(basename "$page" .md)
    awk -v to="$work/$name" '
        /^```cpp/ { on = 1; file = to "." (++n) ".part"; printf "" > file; next }
        /^```/ { if (on) close(file); on = 0; next }
        on { print > file }' "$page"
    begun=
    alone=$(sed -n 's/^<!-- each listing compiles alone -->$/yes/p' "$page")
    source=$(sed -n 's/^<!-- listings of \(.*\) -->$/\1/p' "$page")
    for part in "$work/$name".*.part; do
        [ -e "$part" ] || continue
        if [ -n "$source" ]; then
            awk -v RS='\001' 'NR == FNR { all = $0; next } { exit index(all, $0) == 0 }' "$source" "$part" ||
                { echo "$page: a listing is not in $source: $part"; bad=1; }
            continue
        fi
        if grep -q 'int main' "$part"; then
            programs=$((programs + 1))
            if [ "$page" = README.md ]; then on=first_steps; else on=env; fi
            $on "$@" -std=c++20 -fsyntax-only -x c++ "$part" || { echo "$page: this program does not compile: $part"; bad=1; }
            continue
        fi
        fragments=$((fragments + 1))
        if [ -n "$alone" ]; then
            {
                grep '^#include' "$part" || true
                printf '#include "tests/hygiene/listings/%s.hpp"\nnamespace %s {\nvoid listing()\n{\n#line 1 "%s"\n' "$name" "$name" "$part"
                sed 's/^#include.*//' "$part"
                printf '}\n}\n'
            } >"$part.cpp"
            "$@" -std=c++20 -fsyntax-only -iquote "$root" "$part.cpp" || { echo "$page: this listing does not compile alone: $part"; bad=1; }
            continue
        fi
        if [ -z "$begun" ]; then
            begun=1
            [ -e "tests/hygiene/listings/$name.hpp" ] || { echo "$page: has a listing, but there is no tests/hygiene/listings/$name.hpp"; bad=1; break; }
            echo "#include \"tests/hygiene/listings/$name.hpp\"" >>"$work/includes"
            echo "namespace $name {" >>"$work/bodies"
        fi
        grep '^#include' "$part" >>"$work/includes" || true
        printf 'void listing_%s()\n{\n#line 1 "%s"\n' "$fragments" "$part" >>"$work/bodies"
        sed 's/^#include.*//' "$part" >>"$work/bodies"
        echo '}' >>"$work/bodies"
    done
    [ -z "$begun" ] || echo '}' >>"$work/bodies"
done
cat "$work/includes" "$work/bodies" >"$work/fragments.cpp"
"$@" -std=c++20 -fsyntax-only -iquote "$root" "$work/fragments.cpp" || { echo "these listings do not compile: #line tells which"; bad=1; }
echo "$programs programs and $fragments fragments"
exit $bad
