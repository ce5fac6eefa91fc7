#!/bin/sh
# SPDX-License-Identifier: MIT
# floors.sh ROOT: every #include "tunekit/..." of a header is an edge that cmake/floors.txt allows, and no header names a
# standard or foreign header that costs every user too much.
set -eu
cd "$1/include"
find tunekit -mindepth 2 -name '*.hpp' | LC_ALL=C sort | xargs awk '
FILENAME == ARGV[1] {
    if ($0 ~ /^[ \t]*(#|$)/) next
    split($0, part, ":")
    gsub(/[ \t]/, "", part[1])
    allowed[part[1]] = " " part[2] " "
    next
}
FNR == 1 {
    split(FILENAME, path, "/")
    floor = path[2]
    own = substr(FILENAME, length("tunekit/") + 1)
    if (!(floor in allowed)) complain("is on a floor that cmake/floors.txt does not list")
    list = allowed[floor] (own in allowed ? allowed[own] : "")
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
    name = $0
    sub(/^[^"]*"/, "", name)
    sub(/".*/, "", name)
    if (name == "tunekit/version.hpp") next
    if (split(name, to, "/") < 3 || to[1] != "tunekit") { complain("includes \"" name "\", want \"tunekit/FLOOR/HEADER\""); next }
    header = substr(name, length("tunekit/") + 1)
    sub(/\.hpp$/, "", header)
    if (to[2] != floor && !index(list, " " to[2] " ") && !index(list, " " header " "))
        complain("includes \"" name "\": cmake/floors.txt has no edge from " floor " to it")
}
/^[ \t]*#[ \t]*include[ \t]*<(iostream|format|ranges|regex|thread|random|functional|chrono|boost\/random|Eigen\/Dense)(\.hpp)?>/ {
    complain("includes " $0)
}
function complain(what) { printf "%s:%d: %s\n", FILENAME, FNR, what; bad = 1 }
END { exit bad }
' ../cmake/floors.txt
