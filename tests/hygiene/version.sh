#!/bin/sh
# SPDX-License-Identifier: MIT
# version.sh ROOT CMAKE_VERSION: VERSION, version.hpp, CMake, Meson, the packages and the changelog's newest entry name one version.
set -eu
cd "$1"
want=$(cat VERSION)
part() { awk -v name="TUNEKIT_VERSION_$1" '$2 == name { print $3 }' include/tunekit/version.hpp; }
bad=0
compare() {
    if [ "$2" != "$want" ]; then
        echo "$1 says '$2', VERSION says '$want'"
        bad=1
    fi
}
compare include/tunekit/version.hpp "$(part MAJOR).$(part MINOR).$(part PATCH)"
compare CMake "$2"
compare CHANGELOG.md "$(sed -n 's/^## \([0-9][0-9.]*\).*/\1/p' CHANGELOG.md | head -n 1)"
compare packaging/vcpkg "$(sed -n 's/.*"version": "\(.*\)".*/\1/p' packaging/vcpkg/tunekit/vcpkg.json)"
compare packaging/spack "$(sed -n 's/^    version("\(.*\)").*/\1/p' packaging/spack/packages/tunekit/package.py)"
compare CITATION.cff "$(sed -n 's/^version: *//p' CITATION.cff)"
grep -q "version: files('VERSION')" meson.build || { echo "meson.build does not read VERSION"; bad=1; }
exit $bad
