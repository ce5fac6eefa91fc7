#!/bin/sh
# SPDX-License-Identifier: MIT
# kinds.sh ROOT: every test lies in a folder of its kind, those of packages, tools and benches too: what lies elsewhere is built by nobody.
set -eu
cd "$1"
kinds='attack consume fail fuzz golden gpu hygiene machines mpi opencl packaging program static statistical support unit without'
bad=0
files=$(git ls-files --cached --others --exclude-standard tests '*/tests/*' 2>/dev/null || true)
for file in ${files:-$(find tests packages/*/tests tools/tests bench/*/tests -type f)}; do
    case $file in
    tests/CMakeLists.txt | tests/meson.build | tests/README.md) continue ;;
    python/tests/*) continue ;; # pytest finds them; run.sh is the test `python`
    tests/*) inner=${file#tests/} ;;
    */tests/*) inner=${file#*/tests/} ;;
    *) continue ;;
    esac
    kind=${inner%%/*}
    [ -e "$file" ] || continue
    built=yes
    case $file in
    tests/unit/*/*/*.cpp) built=no ;; # one program per floor
    tests/unit/*/*.cpp) ;;
    tests/unit/*.cpp) built=no ;;
    tests/*) ;;
    *.cpp | *.cu) # a package, the tools or the benches name the folders that they build, or this one
        owner=${file%%/tests/*}
        grep -hv BINARY_DIR "$owner/CMakeLists.txt" "${owner%/*}/CMakeLists.txt" 2>/dev/null |
            grep -qE "tests/$kind|tests/\*|tests\)" || built=no
        ;;
    esac
    case "$built $kinds " in "yes "*" $kind "* | "yes $kind "*) [ "$kind" != "$inner" ] && continue ;; esac
    echo "$file: is in no folder of a kind that is built: $kinds"
    bad=1
done
exit $bad
