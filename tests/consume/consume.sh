#!/bin/sh
# SPDX-License-Identifier: MIT
# consume.sh HOW ROOT WORK COMPILER: builds and runs the program of this folder as a user's project would. The library lies
# installed in WORK/prefix; where HOW is a subproject or meson-install it is taken from a copy of ROOT.
set -eu
how=$1 root=$2 work=$3 CXX=$4
export CXX
dir=$work/$how
prefix=$work/prefix
[ "$how" != meson-install ] || prefix=$dir/prefix
case $how in
*sub*) unset PKG_CONFIG_PATH ;;  # an installed copy would be found first
*) export PKG_CONFIG_PATH="$prefix/share/pkgconfig" ;;
esac
rm -rf "$dir"
mkdir -p "$dir"
cp "$root/tests/consume/main.cpp" "$dir"
[ "$how" != tuned_kernel ] || cp "$root/examples/tuned_kernel.cpp" "$root/examples/support/kernel_table.cpp" "$root/examples/support/kernel_table.hpp" "$dir"
[ ! -d "$root/tests/consume/$how" ] || cp "$root/tests/consume/$how/"* "$dir"

# copy_of_library TO: what a subproject needs of ROOT, at TO.
copy_of_library() {
    mkdir -p "$1"
    cp -R "$root/CMakeLists.txt" "$root/meson.build" "$root/meson_options.txt" "$root/VERSION" "$root/cmake" "$root/include" \
        "$root/tests" "$root/scripts" "$1"
}

case $how in
find_package | tuned_kernel)
    cmake -S "$dir" -B "$dir/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix"
    cmake --build "$dir/build"
    ;;
add_subdirectory)
    copy_of_library "$dir/tunekit"
    cmake -S "$dir" -B "$dir/build" -G Ninja
    cmake --build "$dir/build"
    ;;
include)
    mkdir "$dir/build"
    $CXX -std=c++20 "$root/examples/own_space.cpp" -o "$dir/build/consumer" -I "$root/include"
    ;;
pkg-config | meson-install)
    if [ "$how" = meson-install ]; then
        copy_of_library "$dir/tunekit"
        meson setup "$dir/tunekit/build" "$dir/tunekit" -Dtests=disabled --prefix "$prefix"
        meson install -C "$dir/tunekit/build" --quiet
    fi
    mkdir "$dir/build"
    # shellcheck disable=SC2046 # words are what pkg-config prints
    $CXX -std=c++20 "$dir/main.cpp" -o "$dir/build/consumer" $(pkg-config --cflags --libs tunekit)
    ;;
meson)
    meson setup "$dir/build" "$dir"
    meson compile -C "$dir/build"
    ;;
meson-subproject)
    copy_of_library "$dir/subprojects/tunekit"
    meson setup "$dir/build" "$dir"
    meson compile -C "$dir/build"
    ;;
esac
case $how in
tuned_kernel)
    "$dir/build/consumer" "$dir/log" | grep '^tuned: '  # tunes, and leaves a log
    "$dir/build/consumer" "$dir/log" | grep '^tuner '   # the log alone is enough
    ;;
include) "$dir/build/consumer" | grep '^best of 48 trials' ;;
*) "$dir/build/consumer" | grep '^tunekit ' ;;
esac
