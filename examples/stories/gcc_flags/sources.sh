# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # what support.sh sets
# Sourced behind support.sh, with `package` and `version`: gcc 12 as CC, and the sources of that Debian package in FOLDER/PACKAGE-VERSION. They come
# by apt-get from where this machine's packages come from, unless they lie there.
CC=${CC:-$(command -v gcc-12 || echo gcc)}
export CC
wants "$CC" gcc-12 'the compiler gcc 12'
if [ ! -d "$package-$version" ]; then
    wants dpkg-source dpkg-dev 'what unpacks source packages'
    wants apt-get apt 'what fetches source packages'
fi
wants_end
wants_version gcc "$("$CC" -dumpfullversion)" 12 gcc-12

# sources: with lists of its own, so that the machine's stay as they are.
sources() {
    mkdir -p apt/lists/partial apt/cache/archives/partial apt/parts
    apt-get indextargets --format "deb-src \$(REPO_URI) \$(RELEASE) main" 'Created-By: Packages' 'Origin: Debian' 'Component: main' |
        sort -u >apt/sources.list
    set -- -q -o "Dir::Etc::SourceList=$folder/apt/sources.list" -o "Dir::Etc::SourceParts=$folder/apt/parts" \
        -o "Dir::State::Lists=$folder/apt/lists" -o "Dir::Cache=$folder/apt/cache"
    [ -s apt/sources.list ] && apt-get "$@" update && apt-get "$@" source --only-source "$package" && [ -d "$package-$version" ]
}
if [ ! -d "$package-$version" ] && ! sources >sources.out 2>&1; then
    tail -n 3 sources.out >&2
    echo "this needs the sources of $package $version (Debian 12: source package $package), unpacked as $folder/$package-$version" >&2
    exit 77
fi
