#!/bin/sh
# SPDX-License-Identifier: MIT
# warnings.sh ROOT: no build file and no script makes an error of every warning, which would end somebody's build with another compiler; the
# presets ci-... do, one for each preset but `coverage` and `package`, and tests/machines/targets.sh, which CI runs.
set -eu
cd "$1"
bad=0
grep -rnE --include=CMakeLists.txt --include='*.cmake' --include='*.sh' --include='meson*' --exclude=warnings.sh --exclude=targets.sh --exclude-dir=build \
    -- '(^|[^-])-Werror([^=]|$)|werror *=' . && bad=1
grep -nE -- '^[^#]*[ (]-Werror' scripts/* .ci/* && bad=1
presets=$(sed -n 's/.*{"name": "\([a-z-]*\)", "displayName".*/\1/p' CMakePresets.json)
for preset in $presets; do
    case $preset in ci-* | coverage | package) continue ;; esac
    grep -q "\"name\": \"ci-$preset\", .*\"inherits\": \[\"ci\", \"$preset\"\]" CMakePresets.json || {
        echo "CMakePresets.json: no preset ci-$preset"
        bad=1
    }
done
[ -n "$presets" ]
exit $bad
