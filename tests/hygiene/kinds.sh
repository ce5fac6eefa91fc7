#!/bin/sh
# SPDX-License-Identifier: MIT
# kinds.sh ROOT: every test lies in a folder of its kind, those of packages, tools and benches too: what lies elsewhere is built by nobody.
set -eu
cd "$1"
kinds='consume fail fuzz golden gpu hygiene machines mpi opencl packaging program static statistical support unit without'
bad=0
for file in $(git ls-files --cached --others --exclude-standard tests '*/tests/*' 2>/dev/null || find tests packages/*/tests tools/tests bench/*/tests -type f); do
    case $file in
    tests/CMakeLists.txt | tests/meson.build) continue ;;
    tests/*) inner=${file#tests/} ;;
    */tests/*) inner=${file#*/tests/} ;;
    *) continue ;;
    esac
    kind=${inner%%/*}
    case " $kinds " in *" $kind "*) [ "$kind" != "$inner" ] && continue ;; esac
    [ -e "$file" ] || continue
    echo "$file: is in no folder of a kind: $kinds"
    bad=1
done
exit $bad
