#!/bin/sh
# SPDX-License-Identifier: MIT
# packaging.sh HOW ROOT WORK COMPILER: the library as somebody's package manager takes it, from a copy without our own programs.
# Exit status 77 where a tool is missing that only PyPI has, and for debian-root where this machine cannot make a Debian.
set -eu
how=$1 root=$2 work=$3 CXX=$4
export CXX
dir=$work/$how
rm -rf "$dir"
mkdir -p "$dir"
version=$(cat "$root/VERSION")

# tool NAME REQUIREMENT: NAME from PyPI, installed once.
tool() {
    if [ ! -x "$work/tools-$1/bin/$1" ]; then
        python3 -m venv "$work/tools-$1" >"$dir/log" 2>&1 && "$work/tools-$1/bin/pip" install --quiet "$2" >>"$dir/log" 2>&1 || {
            rm -rf "$work/tools-$1"
            tail -n 1 "$dir/log"
            echo "skipped: no $1"
            exit 77
        }
    fi
    tool=$work/tools-$1/bin/$1
}
# consumer CMAKE_ARGUMENT...: the program of cmake/packaging/conan/test_package by find_package.
consumer() {
    cmake -S "$root/cmake/packaging/conan/test_package" -B "$dir/consumer" -G Ninja -DCMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON "$@" >"$dir/log"
    cmake --build "$dir/consumer" >>"$dir/log"
    "$dir/consumer/tuned" | grep '^tunekit: arm 1'
}

# build_packages: Debian's two, as docs/packages.md makes them: in build/package, where a compiler cache knows the objects.
build_packages() {
    build=$root/build/package
    rm -f "$build"/*.deb
    (cd "$root" && cmake --workflow --preset package) >"$dir/log" 2>&1 || { tail -n 30 "$dir/log"; exit 1; }
    headers=$(ls "$build/libtunekit-dev_$version"_*.deb)
    tools=$(ls "$build/tunekit-tools_$version"_*.deb)
}
fail() {
    echo "FAILED: $1"
    exit 1
}

case $how in
conan)
    tool conan conan==2.34.0
    export CONAN_HOME="$dir/home"
    mkdir "$dir/library"  # conan builds its test beside the recipe
    (cd "$root" && cp -R VERSION LICENSE README.md CHANGELOG.md CMakeLists.txt cmake include docs examples packages tools "$dir/library")
    "$tool" profile detect >/dev/null 2>&1  # with g++ 12 its cppstd is gnu17, which the target raises
    "$tool" create "$dir/library/cmake/packaging/conan" --no-remote >"$dir/log" 2>&1 || {
        tail -n 30 "$dir/log"
        exit 1
    }
    grep -q "^tunekit: arm 1" "$dir/log"
    ;;
vcpkg)
    # The port's own steps, by what vcpkg's functions do in short.
    cat >"$dir/vcpkg.cmake" <<'END'
set(CURRENT_PORT_DIR ${root}/cmake/packaging/vcpkg/tunekit)
set(CURRENT_PACKAGES_DIR ${dir}/package)
function(run)
    execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endfunction()
function(vcpkg_cmake_configure)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
    run(${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B ${dir}/build -G Ninja -DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR} ${arg_OPTIONS})
endfunction()
function(vcpkg_cmake_install)
    run(${CMAKE_COMMAND} --build ${dir}/build --target install)
endfunction()
function(vcpkg_fixup_pkgconfig)
    if(NOT EXISTS ${CURRENT_PACKAGES_DIR}/lib/pkgconfig/tunekit-processes.pc)
        message(FATAL_ERROR "no files of pkg-config in lib/pkgconfig")
    endif()
endfunction()
function(vcpkg_cmake_config_fixup)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "CONFIG_PATH" "")
    if(NOT EXISTS ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/tunekit-config.cmake)
        message(FATAL_ERROR "no package files in ${arg_CONFIG_PATH}")
    endif()
endfunction()
function(vcpkg_install_copyright)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
    file(COPY ${arg_FILE_LIST} DESTINATION ${CURRENT_PACKAGES_DIR}/share/tunekit)
endfunction()
include(${CURRENT_PORT_DIR}/portfile.cmake)
END
    python3 -c 'import json, sys; p = json.load(open(sys.argv[1])); assert set(p["default-features"]) == set(p["features"]), p' "$root/cmake/packaging/vcpkg/tunekit/vcpkg.json"
    cmake -D root="$root" -D dir="$dir" -P "$dir/vcpkg.cmake"
    [ -f "$dir/package/share/tunekit/LICENSE" ]
    consumer -DCMAKE_PREFIX_PATH="$dir/package"
    ;;
spack)
    # Spack is on neither registry: the recipe is Python, and asks for options that CMakeLists.txt has.
    python3 - "$root" <<'END'
import ast, pathlib, re, sys
root = pathlib.Path(sys.argv[1])
recipe = (root / 'cmake/packaging/spack/packages/tunekit/package.py').read_text()
(found,) = [n for n in ast.parse(recipe).body if isinstance(n, ast.ClassDef)]
assert found.name == 'Tunekit' and found.bases[0].id == 'CMakePackage' and ast.get_docstring(found)
said = {n.func.id for n in ast.walk(found) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
assert said >= {'license', 'version', 'variant', 'depends_on', 'conflicts'}, said
cmake = (root / 'CMakeLists.txt').read_text()
for what in re.search(r'for what in \(([^)]*)\)', recipe)[1].replace('"', '').split(', '):
    assert f'option(TUNEKIT_BUILD_{what} ' in cmake, what
END
    ;;
debian)
    build_packages
    dpkg-deb --field "$headers" Package Version Architecture | tr '\n' ' ' | grep "libtunekit-dev.*$version.*$(dpkg --print-architecture)"
    dpkg-deb --extract "$headers" "$dir/root"
    find "$dir/root" -name LICENSE | grep -q .
    for name in processes records; do
        archive=$(find "$dir/root/usr/lib" -name "libtunekit_$name.a")
        [ -f "$archive" ] || fail "no library of $name"
        ! grep -qF "$root/" "$archive" || fail "$archive names this checkout"
        ! nm "$archive" | grep -q Eigen || fail "$archive has code of Eigen, whose objects of two levels do not go together"
    done
    [ "$(du -sk "$dir/root" | cut -f1)" -lt 12000 ] || fail "libtunekit-dev holds more than headers, libraries, pages and examples"
    consumer -DCMAKE_PREFIX_PATH="$dir/root/usr"
    PKG_CONFIG_PATH=$(dirname "$(find "$dir/root" -name tunekit-records.pc)")
    export PKG_CONFIG_PATH
    # shellcheck disable=SC2046 # words
    $CXX -std=c++20 "$root/tests/consume/records/main.cpp" -o "$dir/records" $(pkg-config --cflags --libs tunekit-records)
    "$dir/records" "$dir/records.jsonl" | grep '^tunekit '

    dpkg-deb --field "$tools" Package Version Depends | tr '\n' ' ' | grep "tunekit-tools.*$version.*libc6"
    dpkg-deb --extract "$tools" "$dir/tools"
    usr=$dir/tools/usr
    [ "$(du -sk "$dir/tools" | cut -f1)" -le 20480 ] || fail "tunekit-tools takes $(du -sh "$dir/tools" | cut -f1), want 20 MB at most"
    ! grep -rlF "$root/" "$dir/tools" || fail "the files above name this checkout"
    for tool in tune_command tune_kernel tune_report tune_network tune_shapes score_strategy; do
        "$usr/bin/$tool" --version | grep -q "^$tool (tunekit) $version$" || fail "$tool does not say its version"
        page=$usr/share/man/man1/$tool.1
        grep -A1 '^.SH NAME' "$page" | grep -q "^$tool \\\\- " || fail "the page of $tool does not begin with what it is"
        "$usr/bin/$tool" --help | grep -o '^  \(-[a-z], \)*--[a-z0-9-]*' | sed 's/.*--//' >"$dir/options"
        [ "$(wc -l <"$dir/options")" -ge 8 ] || fail "--help of $tool has few options"
        while read -r option; do
            tr -d '\\' <"$page" | grep -qe "--$option" || fail "the page of $tool lacks --$option"
        done <"$dir/options"
    done
    "$usr/bin/score_strategy" --strategy random 2>&1 | grep 'recordings are not installed' || fail "score_strategy does not say where recordings are"
    nm -D "$(find "$usr" -name libtunekit_kokkos.so)" | grep -q kokkosp_init_library
    for shell in bash zsh fish; do
        if ! command -v $shell >/dev/null 2>&1 || { [ $shell = bash ] && [ ! -f /usr/share/bash-completion/bash_completion ]; }; then
            echo "no completion in $shell here"
            continue
        fi
        python3 "$root/tests/packaging/completion.py" $shell "$usr" tune_command --stop --stop-when-gain-below
        python3 "$root/tests/packaging/completion.py" $shell "$usr" score_strategy --traj --trajectories
    done
    "$root/tests/packaging/installed_levels.sh" "$usr"
    ;;
meson-tools)
    meson setup "$dir/build" "$root/cmake/packaging/meson" --buildtype release --prefix "$dir/usr" >"$dir/log"
    meson install -C "$dir/build" >>"$dir/log" 2>&1 || { tail -n 30 "$dir/log"; exit 1; }
    for tool in tune_command tune_kernel tune_report tune_network tune_shapes score_strategy; do
        "$dir/usr/bin/$tool" --version | grep -x "$tool (tunekit) $version"
        grep -q "^$tool .- " "$dir/usr/share/man/man1/$tool.1"
        grep -q " $tool$" "$dir/usr/share/bash-completion/completions/$tool"
    done
    nm -D "$(find "$dir/usr" -name libtunekit_kokkos.so)" | grep -q kokkosp_init_library
    "$root/tests/packaging/installed_levels.sh" "$dir/usr"
    ;;
debian-root)
    # The README's example from the packages alone, by a user without rights, in a Debian with nothing but what it must have.
    cannot() {
        echo "skipped: $1"
        exit 77
    }
    has_debootstrap() { command -v debootstrap >/dev/null 2>&1 || { echo "no debootstrap" && false; }; }
    . "$root/tests/support/debian.sh"
    find_debian has_debootstrap
    debian=$work/debian-$VERSION_CODENAME
    [ -f "$debian/made" ] || {
        rm -rf "$debian"
        make_debian "$debian" >"$dir/log" 2>&1 || { tail -n 3 "$dir/log"; cannot 'no Debian'; }
        chroot "$debian" useradd --create-home somebody
        touch "$debian/made"
    }
    build_packages
    cp "$headers" "$tools" "$debian/tmp"
    chroot "$debian" sh -c 'dpkg -i /tmp/*.deb; status=$?; rm /tmp/*.deb; exit $status' >"$dir/log" 2>&1 || { tail -n 30 "$dir/log"; exit 1; }
    # as COMMAND: in the home of that user; what is mounted and what it leaves running ends with it.
    as() {
        # shellcheck disable=SC2016 # for the shell in there
        $namespaces sh -c 'mount -t proc proc "$1/proc" && chroot "$1" su somebody -c "cd && $2"' sh "$debian" "$1"
    }
    # The block of the README after the line that installs, for a tenth of the time.
    sed -n '/^sudo apt-get install .*tunekit-tools/,/^```/p' "$root/README.md" | sed '1d;/^```/d;s/--seconds 60/--seconds 6/' >"$debian/home/somebody/example.sh"
    grep -q -- ' --seconds 6 ' "$debian/home/somebody/example.sh" || fail "the README has another example"
    as 'rm -f run.jsonl && sh example.sh && tune_report run.jsonl -o run.html' | tee "$dir/example"
    grep -q '^LC_ALL=.* sort --.* numbers$' "$dir/example" || fail "no command in the end"
    grep -q '<svg' "$debian/home/somebody/run.html" || fail "no picture in the page"
    as 'tune_network --network transformer --seconds 5' | grep '^model latency'
    as 'tune_network --network alexnet --templates autotvm --seconds 5 2>&1' >"$dir/compiler" || true
    [ "$(wc -l <"$dir/compiler")" = 1 ] && grep "no program 'c++'" "$dir/compiler" || fail "a missing compiler is not said in a line"
    ;;
single)
    "$root/scripts/amalgamate" "$dir"
    printf '#define TUNEKIT_PROCESSES_BODIES\n#include "tunekit.hpp"\n#include "tunekit_processes.hpp"\nint other();\nint main() { return other(); }\n' >"$dir/a.cpp"
    printf '#define TUNEKIT_RECORDS_BODIES\n#include "tunekit_bandit.hpp"\n#include "tunekit_recipes.hpp"\n#include "tunekit_records.hpp"\n#include "tunekit_report.hpp"\n#include "tunekit.hpp"\nint other();\nint other() { return 0; }\n' >"$dir/b.cpp"
    for unit in a b; do $CXX -std=c++20 -O0 -isystem /usr/include/eigen3 -c "$dir/$unit.cpp" -o "$dir/$unit.o"; done
    $CXX "$dir/a.o" "$dir/b.o" -o "$dir/both"
    "$dir/both"
    for header in "$dir"/tunekit_*.hpp; do
        $CXX -std=c++20 -fsyntax-only -w -isystem /usr/include/eigen3 -include "$header" -x c++ /dev/null
    done
    cp "$root/tests/packaging/single_header.cpp" "$dir"
    $CXX -std=c++20 -O2 "$dir/single_header.cpp" -o "$dir/single"
    "$dir/single" | grep '^arm 2: 931 pulls'
    sed 's,"tunekit/\([a-z]*\).*","tunekit_\1.hpp",' "$root/tests/consume/processes/main.cpp" >"$dir/front_door.cpp"
    $CXX -std=c++20 -DTUNEKIT_PROCESSES_BODIES "$dir/front_door.cpp" -o "$dir/front_door"
    "$dir/front_door" | grep '^tunekit '
    ;;
citation)
    tool cffconvert cffconvert==2.0.0
    "$tool" --validate -i "$root/CITATION.cff"
    ;;
esac
