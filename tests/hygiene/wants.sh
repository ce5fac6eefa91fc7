#!/bin/sh
# SPDX-License-Identifier: MIT
# wants.sh ROOT COMPILER: what tunekit wants of a translation unit and does not get is said by the first error, and at most one follows.
set -eu
root=$1 compiler=$2
bad=0
scratch=$(mktemp)
trap 'rm -f "$scratch"' EXIT
# said REGEX HEADER FLAG...: compiling HEADER, of the core or of the package that it begins with, with the flags says REGEX first.
said() {
    want=$1 header=$2
    shift 2
    if echo "#include \"tunekit/$header\"" | "$compiler" -I"$root/include" -I"$root/packages/${header%%/*}/include" -fsyntax-only -x c++ "$@" - >"$scratch" 2>&1; then
        echo "$header $*: compiles, but must not"
        bad=1
    elif ! grep 'error' "$scratch" | head -n 1 | grep -Eq "$want" || [ "$(grep -c 'error:' "$scratch")" -gt 2 ]; then
        echo "$header $*: want '$want' as the first error of at most two, have:"
        grep 'error' "$scratch" | head -n 5
        bad=1
    fi
}
said 'needs C[+][+]20' space.hpp -std=c++17
said 'without -fno-exceptions' space.hpp -std=c++20 -fno-exceptions
said 'without -ffinite-math-only' space.hpp -std=c++20 -ffast-math
if "$compiler" -freciprocal-math -dM -E -x c++ /dev/null | grep -q RECIPROCAL_MATH; then  # clang does not say
    for flag in -freciprocal-math -fno-signed-zeros '-fassociative-math -fno-signed-zeros -fno-trapping-math'; do
        # shellcheck disable=SC2086 # several words
        said 'without -fassociative-math' space.hpp -std=c++20 $flag
    done
fi
if ! echo '#include <Eigen/Core>' | "$compiler" -E -x c++ - >/dev/null 2>&1; then
    said 'needs Eigen' linalg.hpp -std=c++20
fi
said 'stands on the package report: link tunekit::scoring' scoring/page.hpp -std=c++20
said 'stands on the package formats: link tunekit::scoring' scoring/read_recordings.hpp -std=c++20
said 'stands on the package formats: link tunekit::scoring' scoring/trajectory_file.hpp -std=c++20
exit $bad
