# SPDX-License-Identifier: MIT
# Sourced by the tests of programs that write C++, with the build directory as $1: `warnings`, the flags under which that compiles without a
# word, errors where they are in that build (the presets of CI).
warnings="-Wall -Wextra -Wpedantic -Wconversion -Wshadow $(sed -n 's/^CMAKE_COMPILE_WARNING_AS_ERROR:.*=ON$/-Werror/p' "$1/CMakeCache.txt")"
