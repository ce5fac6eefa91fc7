#!/bin/sh
# SPDX-License-Identifier: MIT
# packages.sh HOW ROOT WORK COMPILER: the library as somebody's package manager takes it, from a copy without our own programs.
# Exit status 77 where a tool is missing that only PyPI has.
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
# consumer CMAKE_ARGUMENT...: the program of packaging/conan/test_package by find_package.
consumer() {
    cmake -S "$root/packaging/conan/test_package" -B "$dir/consumer" -G Ninja -DCMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON "$@" >"$dir/log"
    cmake --build "$dir/consumer" >>"$dir/log"
    "$dir/consumer/tuned" | grep '^tunekit: arm 1'
}

case $how in
conan)
    tool conan conan==2.34.0
    export CONAN_HOME="$dir/home"
    mkdir "$dir/library"  # conan builds its test beside the recipe
    (cd "$root" && cp -R VERSION LICENSE README.md CHANGELOG.md CMakeLists.txt cmake include docs examples programs bench packaging "$dir/library")
    "$tool" profile detect >/dev/null 2>&1  # with g++ 12 its cppstd is gnu17, which the target raises
    "$tool" create "$dir/library/packaging/conan" --no-remote >"$dir/log" 2>&1 || {
        tail -n 30 "$dir/log"
        exit 1
    }
    grep -q "^tunekit: arm 1" "$dir/log"
    ;;
vcpkg)
    # The port's own steps, by what vcpkg's functions do in short.
    cat >"$dir/vcpkg.cmake" <<'END'
set(CURRENT_PORT_DIR ${root}/packaging/vcpkg/tunekit)
set(CURRENT_PACKAGES_DIR ${dir}/package)
function(run)
    execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endfunction()
function(vcpkg_cmake_configure)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
    run(${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B ${dir}/build -G Ninja -DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR} ${arg_OPTIONS})
endfunction()
function(vcpkg_cmake_install)
    run(${CMAKE_COMMAND} --install ${dir}/build)
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
    python3 -c 'import json, sys; p = json.load(open(sys.argv[1])); assert set(p["default-features"]) == set(p["features"]), p' "$root/packaging/vcpkg/tunekit/vcpkg.json"
    cmake -D root="$root" -D dir="$dir" -P "$dir/vcpkg.cmake"
    [ -f "$dir/package/share/tunekit/LICENSE" ]
    consumer -DCMAKE_PREFIX_PATH="$dir/package"
    ;;
spack)
    # Spack is on neither registry: the recipe is Python, and asks for options that CMakeLists.txt has.
    python3 - "$root" <<'END'
import ast, pathlib, re, sys
root = pathlib.Path(sys.argv[1])
recipe = (root / 'packaging/spack/packages/tunekit/package.py').read_text()
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
    cmake -S "$root" -B "$dir/build" -G Ninja -DTUNEKIT_BUILD_TESTS=OFF -DTUNEKIT_BUILD_EXAMPLES=OFF -DTUNEKIT_BUILD_BENCH=OFF >"$dir/log"
    (cd "$dir/build" && cpack -G DEB >>"$dir/log" 2>&1)
    package=$(ls "$dir/build/"*.deb)
    dpkg-deb --field "$package" Package Version Architecture | tr '\n' ' ' | grep "libtunekit-dev.*$version.*all"
    dpkg-deb --extract "$package" "$dir/root"
    find "$dir/root" -name LICENSE | grep -q .
    consumer -DCMAKE_PREFIX_PATH="$dir/root/usr"
    ;;
single)
    "$root/scripts/amalgamate" "$dir"
    printf '#include "tunekit.hpp"\nint other();\nint main() { return other(); }\n' >"$dir/a.cpp"
    printf '#include "tunekit_bandit.hpp"\n#include "tunekit_recipes.hpp"\n#include "tunekit.hpp"\nint other();\nint other() { return 0; }\n' >"$dir/b.cpp"
    for unit in a b; do $CXX -std=c++20 -O0 -isystem /usr/include/eigen3 -c "$dir/$unit.cpp" -o "$dir/$unit.o"; done
    $CXX "$dir/a.o" "$dir/b.o" -o "$dir/both"
    "$dir/both"
    for header in "$dir"/tunekit_*.hpp; do
        $CXX -std=c++20 -fsyntax-only -w -isystem /usr/include/eigen3 -include "$header" -x c++ /dev/null
    done
    cp "$root/tests/single_header.cpp" "$dir"
    $CXX -std=c++20 -O2 "$dir/single_header.cpp" -o "$dir/single"
    "$dir/single" | grep '^arm 2: 931 pulls'
    ;;
citation)
    tool cffconvert cffconvert==2.0.0
    "$tool" --validate -i "$root/CITATION.cff"
    ;;
esac
