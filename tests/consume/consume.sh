#!/bin/sh
# SPDX-License-Identifier: MIT
# consume.sh HOW ROOT WORK COMPILER: builds and runs the program of this folder as a user's project would. The library lies
# installed in WORK/prefix, where `install` puts it; where HOW is a subproject or meson-install it is taken from a copy of ROOT. without-boost and
# without-eigen are find_package on a machine that lacks them, without-libraries on one that lacks all, mpi-missing* on one without MPI; compiled
# links tunekit::compiled; component asks for one that never was, and for one whose library is missing; unbuilt installs tunekit where
# nlohmann-json is missing; by-hand compiles what the README shows as it says, and in each other form without a build system.
set -eu
how=$1 root=$2 work=$3 CXX=$4
export CXX
dir=$work/$how
prefix=$work/prefix
[ "$how" != meson-install ] || prefix=$dir/prefix
# By pkg-config the installed copy is found, and none where HOW is a subproject, which would be found after it.
unset PKG_CONFIG_PATH
pkg_config_finds() { export PKG_CONFIG_PATH="$(dirname "$(find "$1" -name tunekit.pc)")"; }
case $how in pkg-config* | meson) pkg_config_finds "$prefix" ;; esac
version=$(cut -d. -f1,2 "$root/VERSION")
rm -rf "$dir"
mkdir -p "$dir"
case $how in
without-boost | without-eigen) folder=bare ;;
pkg-config-scoring) folder=formats ;;
mpi-missing*) folder=mpi-missing ;;
pkg-config-*) folder=${how#pkg-config-} ;;
*) folder=$how ;;
esac
cp "$root/tests/consume/main.cpp" "$dir"
[ ! -d "$root/tests/consume/$folder" ] || cp "$root/tests/consume/$folder/"* "$dir"
if [ "$how" = mpi-subdirectory ]; then
    cp "$root/tests/consume/mpi/main.cpp" "$dir"
fi
cp "$root/tests/consume/processes/main.cpp" "$dir/front_door.cpp"
case $how in
mpi-missing*) cp "$root/tests/consume/bare/main.cpp" "$dir" ;;
compiled | pkg-config-compiled) cp "$root/tests/consume/records/main.cpp" "$dir" ;;
without-libraries)
    cp "$root/tests/consume/processes/main.cpp" "$dir"
    # Every public header of processes, and what else needs no library.
    (cd "$prefix/include" && find tunekit/processes -name '*.hpp' ! -path '*/detail/*' && printf 'tunekit/%s.hpp\n' tunekit online report dispatch) |
        sed 's/.*/#include "&"/' >"$dir/everything.cpp"
    ;;
esac
if [ "$how" = tuned_kernel ]; then
    mkdir -p "$dir/packages/kernels/table"
    cp "$root/packages/kernels/examples/tuned_kernel.cpp" "$dir"
    cp "$root/packages/kernels/table/kernel_table.hpp" "$dir/packages/kernels/table"
fi

# copy_of_library TO: what a subproject needs of ROOT, at TO.
copy_of_library() {
    mkdir -p "$1"
    for part in CHANGELOG.md CMakeLists.txt LICENSE README.md VERSION cmake docs examples include meson.build packages tools; do
        cp -R "$root/$part" "$1"
    done
}

# library BUILD CMAKE_ARGUMENT...: tunekit as docs/building.md configures it, out of a compiler cache where there is one.
library() {
    to=$1
    shift
    cmake -S "$root" -B "$to" -G Ninja -DTUNEKIT_BUILD_TESTS=OFF -DTUNEKIT_BUILD_TOOLS=OFF -DTUNEKIT_BUILD_EXAMPLES=OFF -DTUNEKIT_BUILD_BENCH=OFF \
        -DCMAKE_CXX_COMPILER_LAUNCHER="$(command -v ccache || true)" "$@"
}

# refused_for WORDS COMMAND...: it fails, and says that, however CMake breaks its lines.
refused_for() {
    wanted=$1
    shift
    if "$@" >"$dir/said" 2>&1; then
        echo "this passes: $*"
        exit 1
    fi
    tr -s ' \n' ' ' <"$dir/said" | grep -qFe "$wanted" || { cat "$dir/said"; exit 1; }
}

# by_cmake ARGUMENT...: the program built by CMake.
by_cmake() {
    cmake -S "$dir" -B "$dir/build" -G Ninja -Dtunekit_version="$version" "$@"
    cmake --build "$dir/build"
}

# folders_without NAME...: flags that replace the folders in which the compiler looks for headers by copies, made of links, that lack NAME.
folders_without() {
    $CXX -v -E -x c++ /dev/null 2>&1 | sed -n '/^#include </,/^End of/s,^ \([^ ]*\).*,\1,p' >"$dir/folders"
    printf -- '-nostdinc -nostdinc++'
    n=0
    while read -r folder; do
        n=$((n + 1))
        mkdir -p "$dir/headers/$n"
        ln -s "$folder"/* "$dir/headers/$n"
        for name in "$@"; do rm -f "$dir/headers/$n/$name"; done
        printf ' -isystem %s' "$dir/headers/$n"
    done <"$dir/folders"
}

case $how in
find_package | processes | records | formats | mpi | mpi-missing | devices | compiled | tuned_kernel) by_cmake -DCMAKE_PREFIX_PATH="$prefix" ;;
without-boost)
    by_cmake -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_FLAGS="$(folders_without boost)" -DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON
    ;;
without-eigen)
    by_cmake -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_FLAGS="$(folders_without boost eigen3 Eigen)" \
        -DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON -DCMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON
    ;;
without-libraries)
    by_cmake -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_FLAGS="$(folders_without boost eigen3 Eigen nlohmann zlib.h zconf.h)" \
        -DCMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON -DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON -DCMAKE_DISABLE_FIND_PACKAGE_ZLIB=ON
    ;;
component | unbuilt)
    more=-DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON
    asked_for="nothing:want compiled or one of: processes
records:tunekit: records needs nlohmann_json
formats:tunekit: records needs nlohmann_json
report records:tunekit: records needs nlohmann_json"
    if [ "$how" = unbuilt ]; then
        prefix=$dir/prefix
        library "$dir/library" "$more"
        cmake --build "$dir/library"
        cmake --install "$dir/library" --prefix "$prefix"
        more='' asked_for='records:tunekit: the library of records was not built'
    fi
    echo "$asked_for" | while IFS=: read -r components words; do
        printf 'cmake_minimum_required(VERSION 3.25)\nproject(consumer LANGUAGES CXX)\nfind_package(tunekit REQUIRED COMPONENTS %s)\n' "$components" >"$dir/CMakeLists.txt"
        # shellcheck disable=SC2086 # one word or none
        refused_for "$words" cmake -S "$dir" -B "$dir/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" $more
        rm -rf "$dir/build"
    done
    exit 0
    ;;
install)
    # Where CMake stands in a project that is not built yet, the line says what to do.
    rm -rf "$work/library" "$prefix"
    library "$work/library" -DCMAKE_BUILD_TYPE=Release
    refused_for "--target tunekit_libraries" cmake --install "$work/library" --prefix "$prefix"
    cmake --build "$work/library" --target tunekit_libraries
    cmake --install "$work/library" --prefix "$prefix"
    exit 0
    ;;
by-hand)
    # What the README shows, by its own command.
    processes=$root/packages/processes/include/tunekit/processes/processes.cpp
    awk '/^```cpp/ { on = 1; next } /^```/ { on = 0; if (n) exit } on { print; n = 1 }' "$root/README.md" >"$dir/mine.cpp"
    ln -s "$root" "$dir/tunekit"
    command=$(grep '^c++ -std=c++20 .* mine.cpp ' "$root/README.md")
    (cd "$dir" && eval "$CXX ${command#c++ } -o readme")
    "$dir/readme" | grep '^best of 40: rows '
    # Its library apart, compiled once.
    mkdir "$dir/build"
    set -- -std=c++20 -I "$root/include" -I "$root/packages/processes/include"
    $CXX "$@" -c "$processes" -o "$dir/processes.o"
    $CXX "$@" "$dir/mine.cpp" "$dir/processes.o" -o "$dir/apart"
    $CXX "$@" "$dir/front_door.cpp" "$processes" -o "$dir/build/consumer"
    "$dir/apart" | grep '^best of 40: rows '
    ;;
add_subdirectory | mpi-subdirectory | mpi-missing-subdirectory)
    copy_of_library "$dir/tunekit"
    by_cmake
    if [ "$how" = add_subdirectory ]; then
        [ -z "$(find "$dir/build" -name '*.a')" ] || { echo 'a library is built that nothing links'; exit 1; }
        cmake --build "$dir/build" --target front_door
        "$dir/build/front_door" | grep '^tunekit '
    fi
    ;;
fetch_content)
    copy_of_library "$dir/library"
    by_cmake -DTUNEKIT_AT="$dir/library"
    ;;
include)
    mkdir "$dir/build"
    $CXX -std=c++20 "$root/examples/own_space.cpp" -o "$dir/build/consumer" -I "$root/include"
    ;;
pkg-config | pkg-config-* | meson-install)
    if [ "$how" = meson-install ]; then
        copy_of_library "$dir/tunekit"
        meson setup "$dir/tunekit/build" "$dir/tunekit" --prefix "$prefix"
        meson install -C "$dir/tunekit/build" --quiet
        pkg_config_finds "$prefix"
    fi
    also=eigen3 more='' main=main
    case $how in
    meson-install) also=tunekit-processes main=front_door ;;
    pkg-config-compiled) also=tunekit-records more="-DTUNEKIT_COMPILED $(pkg-config --variable=compiled tunekit)" ;;
    pkg-config-*) also=tunekit-${how#pkg-config-} ;;
    esac
    mkdir "$dir/build"
    # shellcheck disable=SC2046,SC2086 # words are what pkg-config prints
    $CXX -std=c++20 $more "$dir/$main.cpp" -o "$dir/build/consumer" $(pkg-config --cflags --libs tunekit $also)
    ;;
meson)
    meson setup "$dir/build" "$dir"
    meson compile -C "$dir/build"
    "$dir/build/front_door" | grep '^tunekit '
    ;;
meson-subproject)
    copy_of_library "$dir/subprojects/tunekit"
    meson setup "$dir/build" "$dir"
    meson compile -C "$dir/build"
    for form in front_door compiled; do "$dir/build/$form" | grep '^tunekit '; done
    ;;
esac
case $how in
tuned_kernel)
    "$dir/build/consumer" "$dir/log" | grep '^tuned: ' # tunes, and leaves a log
    "$dir/build/consumer" "$dir/log" | grep '^tuner '  # the log alone is enough
    ;;
compiled)
    nm -C "$dir/build/CMakeFiles/consumer.dir/main.cpp.o" | grep -q ' U tunekit::space::detail::grid::grid(' # it is in the library
    "$dir/build/consumer" "$dir/log" | grep '^tunekit '
    ;;
include) "$dir/build/consumer" | grep '^best of 48 trials' ;;
formats | pkg-config-scoring)
    "$dir/build/consumer" | grep '^tunekit '
    "$dir/build/consumer" | grep 'recordings are not installed'
    TUNEKIT_RECORDINGS="$root/packages/scoring/recordings" "$dir/build/consumer" | grep -x 'recordings: 1'
    ;;
*) "$dir/build/consumer" "$dir/log" | grep '^tunekit ' ;;
esac
