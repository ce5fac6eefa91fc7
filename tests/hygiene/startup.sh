#!/bin/sh
# SPDX-License-Identifier: MIT
# startup.sh [--library] OBJECT...: an object of a translation unit that includes the Eigen-free floors runs nothing at start-up and defines
# no strong symbol; one of a package's library runs nothing either, and what it defines is in namespace tunekit.
set -eu
bad=0 what='an Eigen-free header' ours='^$'
if [ "$1" = --library ]; then
    what='a library' ours=' tunekit::| (typeinfo|vtable|guard variable)[a-z ]* for tunekit::| tunekit_header_only_mixed_with_compiled$'
    shift
fi
for object; do
    objdump -f "$object" >/dev/null
    if objdump -h "$object" | grep -E '[.](init_array|ctors|preinit_array)'; then
        echo "$what has start-up code"
        bad=1
    fi
    if nm -C --defined-only "$object" | grep -E ' [TDBRC] ' | grep -vE "$ours"; then
        echo "$what defines a strong symbol: a function or variable that is not inline, or not in namespace tunekit"
        bad=1
    fi
done
exit $bad
