#!/bin/sh
# SPDX-License-Identifier: MIT
# version.sh ROOT CMAKE_VERSION: VERSION, version.hpp, CMake, Meson, the recipes of package managers, the citation, the lines of docs/packages.md, the answer
# to `hello` in docs/command_line.md, a generated header of the package dispatch and the changelog's newest entry name one version.
# version.sh ROOT --write: writes that of VERSION to all of them but the changelog.
set -eu
cd "$1"
want=$(cat VERSION)
if [ "$2" = --write ]; then
    part() {
        n=$(echo "$want" | cut -d. -f"$2")
        sed -i "s/^\(#define TUNEKIT_VERSION_$1\) .*/\1 $n/" include/tunekit/version.hpp
    }
    part MAJOR 1 && part MINOR 2 && part PATCH 3
    sed -i "s/\"version\": \".*\"/\"version\": \"$want\"/" cmake/packaging/vcpkg/tunekit/vcpkg.json
    sed -i "s/^    version(\".*\")/    version(\"$want\")/; s/tunekit@[0-9.]*[0-9]/tunekit@$want/" cmake/packaging/spack/packages/tunekit/package.py
    sed -i "s/^version: .*/version: $want/" CITATION.cff
    sed -i "s/GIT_TAG v[0-9.]*[0-9]/GIT_TAG v$want/; s/tunekit@[0-9.]*[0-9]/tunekit@$want/" docs/packages.md
    sed -i "s/\"tunekit\":\"[0-9.]*\"/\"tunekit\":\"$want\"/" docs/command_line.md
    sed -i "1s/ tunekit [0-9.]*:/ tunekit $want:/" packages/dispatch/tests/unit/by_hand_header.golden
    exit
fi
part() { awk -v name="TUNEKIT_VERSION_$1" '$2 == name { print $3 }' include/tunekit/version.hpp; }
bad=0
compare() {
    if [ "$2" != "$want" ]; then
        echo "$1 says '$2', VERSION says '$want'"
        bad=1
    fi
}
said() { grep -ohE "$1" "$2" | sed -E 's/.*[@v]//' | sort -u | tr '\n' ' ' | sed 's/ $//'; }
compare include/tunekit/version.hpp "$(part MAJOR).$(part MINOR).$(part PATCH)"
compare CMake "$2"
compare CHANGELOG.md "$(sed -n 's/^## \([0-9][0-9.]*\).*/\1/p' CHANGELOG.md | head -n 1)"
compare cmake/packaging/vcpkg "$(sed -n 's/.*"version": "\(.*\)".*/\1/p' cmake/packaging/vcpkg/tunekit/vcpkg.json)"
compare cmake/packaging/spack "$(sed -n 's/^    version("\(.*\)").*/\1/p' cmake/packaging/spack/packages/tunekit/package.py)"
compare 'cmake/packaging/spack, its first line,' "$(said 'tunekit@[0-9.]*[0-9]' cmake/packaging/spack/packages/tunekit/package.py)"
compare 'docs/packages.md' "$(said '(GIT_TAG v|tunekit@)[0-9.]*[0-9]' docs/packages.md)"
compare 'docs/command_line.md' "$(sed -n 's/.*"tunekit":"\([0-9.]*\)".*/\1/p' docs/command_line.md)"
compare 'packages/dispatch/tests/unit/by_hand_header.golden' "$(sed -n '1s/.* tunekit \([0-9.]*\):.*/\1/p' packages/dispatch/tests/unit/by_hand_header.golden)"
compare CITATION.cff "$(sed -n 's/^version: *//p' CITATION.cff)"
grep -q "version: files('VERSION')" meson.build || { echo "meson.build does not read VERSION"; bad=1; }
exit $bad
