#!/bin/sh
# SPDX-License-Identifier: MIT
# release.sh [--again] OUT [SUITE...]: tries what `scripts/release OUT` made, by itself and not from this tree, and ends with a table of what was tried on each
# file. A Debian of each suite (by default this machine's) with g++ and pkg-config has nothing of tunekit: there the packages are installed, a C++ program
# is built and run with each of package, one file and source archive, and a tool tunes a command. wheels.sh tries the wheels. The recipes of package managers
# are tried from the source archive, the site is opened in Chromium, the bill of materials is checked by SPDX's own tools.
#   --again  only this: makes the release a second time, from a clone elsewhere, and compares every byte
# Exit status 1 where something failed; what this machine cannot try is said in the table.
set -eu
again=no
[ "${1-}" != --again ] || { again=yes && shift; }
case ${1--} in -*) sed -n 's/^# //; 3,8p' "$0" && exit 2 ;; esac
out=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")/../.."
tree=$PWD
work=$(mktemp -d "${TMPDIR:-/var/tmp}/release.XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT
bad=0
# tried FILE WHAT STATE
tried() {
    printf '%-48s %-58s %s\n' "$1" "$2" "$3" >>"$work/table"
    echo "release: $1: $2: $3"
    case $3 in FAILED*) bad=1 ;; esac
}
# try FILE WHAT COMMAND...: its exit status 77 is "not tried", with its last line.
try() {
    file=$1 what=$2 status=0
    shift 2
    ("$@") >"$work/log" 2>&1 || status=$?
    case $status in
    0) tried "$file" "$what" ok ;;
    77) tried "$file" "$what" "not tried: $(tail -n 1 "$work/log")" ;;
    *)
        tail -n 20 "$work/log"
        tried "$file" "$what" "FAILED with status $status"
        ;;
    esac
}

if [ $again = yes ]; then
    git clone --quiet "$tree" "$work/clone"
    "$work/clone/scripts/release" "$work/second" >"$work/log" 2>&1 || { tail -n 30 "$work/log" && exit 1; }
    for file in "$out"/*; do
        name=$(basename "$file")
        if cmp "$file" "$work/second/$name"; then same='the same bytes'; else same=FAILED; fi
        tried "$name" 'made again, from a clone in another folder' "$same"
    done
    [ "$(ls "$out")" = "$(ls "$work/second")" ] || tried 'all' 'the same files' FAILED
    exit $bad
fi

one() { # one PATTERN: the one file of that name
    # shellcheck disable=SC2086 # a pattern
    set -- "$out"/$1
    [ $# = 1 ] && [ -f "$1" ] || { echo "release: want one file $*" >&2 && exit 1; }
    echo "$1"
}
version=$(basename "$(one 'tunekit-*.spdx.json')" .spdx.json)
version=${version#tunekit-}
source=$(one "tunekit-$version.tar.gz") site=$(one "tunekit-$version-site.tar.gz") files=$(one "tunekit-$version-one-file.tar.gz")
headers=$(one 'libtunekit-dev_*.deb') tools=$(one 'tunekit-tools_*.deb') bill=$(one "tunekit-$version.spdx.json")

try SHA256SUMS 'every file has its checksum' sh -c 'cd "$1" && sha256sum --check --quiet SHA256SUMS && [ "$(ls | grep -vcx SHA256SUMS)" = "$(wc -l <SHA256SUMS)" ]' sh "$out"
for archive in "$source" "$site" "$files"; do tar -xzf "$archive" -C "$work"; done
unpacked=$work/tunekit-$version

checked_bill() {
    python3 -m venv "$work/spdx" && "$work/spdx/bin/pip" install --quiet spdx-tools==0.8.5 || { echo 'no spdx-tools from PyPI' && exit 77; }
    "$work/spdx/bin/pyspdxtools" --infile "$bill"
}
try "$(basename "$bill")" 'valid by pyspdxtools' checked_bill

for way in citation vcpkg spack conan; do
    try "$(basename "$source")" "the recipe of $way, by packaging.sh" env CMAKE_CXX_COMPILER_LAUNCHER= sh tests/packaging/packaging.sh $way "$unpacked" "$work/packaging" g++
done
fetched() {
    mkdir "$work/fetched"
    cat >"$work/fetched/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(fetched LANGUAGES CXX)
include(FetchContent)
FetchContent_Declare(tunekit URL file://$source URL_HASH SHA256=$(sha256sum "$source" | cut -d' ' -f1))
FetchContent_MakeAvailable(tunekit)
add_executable(main $unpacked/cmake/packaging/conan/test_package/tuned.cpp)
target_link_libraries(main PRIVATE tunekit::processes)
END
    cmake -S "$work/fetched" -B "$work/fetched/build" -G Ninja && cmake --build "$work/fetched/build" && "$work/fetched/build/main" | grep '^tunekit: arm 1'
}
try "$(basename "$source")" 'FetchContent_Declare(tunekit URL ... URL_HASH ...)' fetched

browser=$(command -v chromium || command -v chromium-browser || echo '')
looked_at() {
    [ -n "$browser" ] || { echo 'no Chromium' && exit 77; }
    python3 tests/machines/silent_site.py "$browser" "$work/tunekit-$version-site"
}
try "$(basename "$site")" 'each page opened in Chromium, no message, nothing loaded' looked_at

# In a Debian.
inside() {
    cat >"$1/try/it" <<'END'
set -eu
cd /try
case $1 in
packages)
    dpkg -i *.deb
    g++ -std=c++20 main.cpp -o main $(pkg-config --cflags --libs tunekit-processes)
    ./main | grep '^tunekit '
    for tool in tune_command tune_kernel tune_report tune_network tune_shapes score_strategy; do $tool --version | grep -x "$tool (tunekit) $2"; done
    tune_command --parameter n=3,1,2 --log run.jsonl -- sleep 0.0{n}
    tune_report run.jsonl -o run.html
    grep -q '<svg' run.html
    dpkg -r tunekit-tools libtunekit-dev
    ! command -v tune_command && [ ! -e /usr/include/tunekit ]
    ;;
one-file)
    sed 's,"tunekit/\([a-z]*\).*","tunekit_\1.hpp",' main.cpp >files/door.cpp
    g++ -std=c++20 -DTUNEKIT_PROCESSES_BODIES files/door.cpp -o door && ./door | grep '^tunekit '
    ;;
header)
    sed 's,"tunekit/\(recipes\|tune\)/.*,"tunekit_\1.hpp",; s,"tunekit/.*,"tunekit.hpp",' first.cpp >files/first.cpp
    g++ -std=c++20 files/first.cpp -o first && ./first | grep '^tunekit '
    ;;
source)
    tree=tunekit-$2
    g++ -std=c++20 -DTUNEKIT_PROCESSES_BODIES main.cpp -I $tree/include -I $tree/packages/processes/include -o by_hand && ./by_hand | grep '^tunekit '
    ;;
esac
END
}
cannot() {
    echo "release: $1" >&2
    exit 1
}
. tests/support/debian.sh
[ $# -gt 0 ] || set -- "$(. /etc/os-release && echo "$VERSION_CODENAME")"
can_make() ( # in a subshell, which cannot ends
    cannot() { echo "$1" && exit 77; }
    find_debian scripts/needs bare
)
for suite; do
    what="in a bare $suite"
    if ! can_make >"$work/log" 2>&1; then
        tried 'packages, one file, source archive' "$what" "not tried: $(tail -n 1 "$work/log")"
        continue
    fi
    find_debian scripts/needs bare
    root=$work/$suite
    make_debian "$root" --include=g++,pkg-config,python3-venv >"$work/log" 2>&1 || {
        tail -n 5 "$work/log"
        tried 'packages, one file, source archive' "$what" 'not tried: debootstrap failed'
        continue
    }
    mkdir "$root/try"
    cp "$headers" "$tools" "$out/tunekit.hpp" "$unpacked/tests/consume/processes/main.cpp" "$root/try"
    cp "$unpacked/tests/consume/bare/main.cpp" "$root/try/first.cpp"
    cp -R "$unpacked" "$root/try"
    cp -R "$work/tunekit-$version-one-file" "$root/try/files"
    inside "$root"
    for part in source one-file header packages; do
        case $part in
        source) file=$(basename "$source") how="a program compiled by hand, $what" ;;
        one-file) file=$(basename "$files") how="a program with two of its files, $what" ;;
        header) file=tunekit.hpp how="a program with it, tunekit_tune and tunekit_recipes, $what" ;;
        packages) file=$(basename "$headers" | sed 's/_.*/_*.deb/')\ and\ tunekit-tools how="a program, six tools, a run and its page, removed, $what" ;;
        esac
        # shellcheck disable=SC2086,SC2016 # words of a list; words of another shell
        try "$file" "$how" $namespaces sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin sh /try/it "$@"' "$root" $part "$version"
    done
    rm -rf --one-file-system "$root"
    try 'pytunekit-*.whl' "wheels.sh, in a $suite without a compiler" sh tests/machines/wheels.sh "$out" "$suite"
done

echo
cat "$work/table"
exit $bad
