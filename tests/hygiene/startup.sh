#!/bin/sh
# SPDX-License-Identifier: MIT
# startup.sh OBJECT: an object of a translation unit that includes the Eigen-free floors runs nothing at start-up and defines
# no strong symbol.
set -eu
bad=0
objdump -f "$1" >/dev/null
if objdump -h "$1" | grep -E '[.](init_array|ctors|preinit_array)'; then
    echo "an Eigen-free header has start-up code"
    bad=1
fi
if nm -C --defined-only "$1" | grep -E ' [TDBRC] '; then
    echo "an Eigen-free header defines a strong symbol: a function or variable that is not inline"
    bad=1
fi
exit $bad
