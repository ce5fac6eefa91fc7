#!/bin/sh
# SPDX-License-Identifier: MIT
# without.sh ROOT WORK COMPILER HEADERS LIBRARY WORDS CMAKE_ARGUMENT...: our programs where a library is missing, which the arguments switch
# off. Nothing that is still built reaches a header that matches HEADERS, or is linked with what matches LIBRARY; a line with WORDS says what is
# left out. Where tests cannot do without it, CMake stops with such a line, which names the remedy, and the rest is tried without tests.
# It reads includes instead of compiling, so that a machine that has the library gives the same answer as one that lacks it.
set -eu
root=$1 work=$2 CXX=$3 headers=$4 library=$5 words=$6
shift 6
export CXX
rm -rf "$work"
mkdir -p "$work"
bad=0
fail() {
    echo "FAILED: $1"
    bad=1
}
configure() { cmake -S "$root" -B "$work/build" -G Ninja "$@" >"$work/log" 2>&1; }

targets='all gpu_tests opencl_tests hygiene_alone hygiene_hostile hygiene_odr hygiene_startup'
if configure -DTUNEKIT_BUILD_TESTS=ON "$@"; then # with everything that tests need
    grep -E "^-- tunekit: .* not (built|tested), " "$work/log" | grep -E "$words" || fail "no line says what is left out for want of $words"
else
    tr -s ' \n' '  ' <"$work/log" | grep -oE "tunekit: [a-z_]+ needs? [^,]*($words)[^,]*: run scripts/needs test" || # CMake breaks its lines
        fail "CMake stops, and does not say that it needs $words, and where to get it"
    targets=all
    rm -rf "$work/build"
    configure -DTUNEKIT_BUILD_TESTS=OFF "$@" || { cat "$work/log"; echo 'FAILED: CMake stops, even without tests'; exit 1; }
fi
if [ "$library" != none ] && grep -E "^ *(LINK_LIBRARIES|LINK_FLAGS|FLAGS) = .*($library)" "$work/build/build.ninja"; then
    fail "something is still linked with $library"
fi

# shellcheck disable=SC2086 # words of a list
ninja -C "$work/build" -t inputs $targets | awk -v root="$root/" '/[.](cpp|cu)$/ { print index($0, root) == 1 ? substr($0, length(root) + 1) : $0 }' >"$work/left"
[ "$(grep -c . "$work/left")" -gt 10 ] || fail 'hardly anything is left'
cd "$root"
find include packages tools examples bench tests -name '*.[ch]pp' -o -name '*.cu' >"$work/files"
grep -v '^/' "$work/left" | while read -r source; do [ -e "$source" ] || echo "$work/build/$source"; done >>"$work/files"
# Every file that reaches a header that matches, through our own ones, with the way there.
tr '\n' '\0' <"$work/files" | xargs -0 awk -v headers="$headers" -v left="$work/left" -v build="$work/build/" '
# inside("tunekit/NAME/..."): where a package has it.
function inside(name,   part) {
    split(name, part, "[/.]")
    return "packages/" part[2] "/include/" name
}
FNR == 1 { known[FILENAME] = 1 }
/^[ \t]*#[ \t]*include[ \t]*</ {
    name = $0
    sub(/^[^<]*</, "", name)
    sub(/>.*/, "", name)
    if (name ~ headers) way[FILENAME] = "<" name ">"
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
    name = $0
    sub(/^[^"]*"/, "", name)
    sub(/".*/, "", name)
    from[++edges] = FILENAME
    to[edges] = name
}
END {
    for (i = 1; i <= edges; ++i) {
        beside = from[i]
        sub(/[^\/]*$/, "", beside)
        if ((beside to[i]) in known) to[i] = beside to[i]
        else if (("include/" to[i]) in known) to[i] = "include/" to[i]
        else if ((inside(to[i])) in known) to[i] = inside(to[i])
    }
    do {
        more = 0
        for (i = 1; i <= edges; ++i)
            if (to[i] in way && !(from[i] in way)) { way[from[i]] = to[i] " " way[to[i]]; more = 1 }
    } while (more)
    while ((getline source < left) > 0) {
        if (build source in known) source = build source
        if (source in way) { print source " wants " way[source]; bad = 1 }
    }
    exit bad
}' >"$work/reached" || {
    cat "$work/reached"
    fail "what is still built wants headers that match $headers"
}
[ $bad = 0 ] || { cat "$work/log"; exit 1; }
echo "$(grep -c . "$work/left") sources are left, none wants what is missing"
