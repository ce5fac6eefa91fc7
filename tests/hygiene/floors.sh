#!/bin/sh
# SPDX-License-Identifier: MIT
# floors.sh ROOT: every #include "tunekit/..." of a header of the core, and of a source of a package, is an edge that cmake/floors.txt allows, and every edge that it allows
# is used; the core includes no package; FLOOR/detail/ is included by FLOOR alone (core/detail/ by every floor and package), not by another floor,
# a package, a tool, an example or a bench; no header names a standard or foreign header that costs every user too much. What a package may
# include of other packages, the compiler holds by its include path. A source is compiled once, and no source names Eigen or Boost.
set -eu
cd "$1"
files=$(mktemp)
trap 'rm -f "$files"' EXIT
find include packages/*/include -path '*/tunekit/*/*.[hc]pp' >"$files"
find examples tools bench packages/*/examples packages/kernels/table packages/kernels/operators \( -name '*.hpp' -o -name '*.cpp' -o -name '*.cu' \) \
    ! -path '*/tests/*' >>"$files"
# shellcheck disable=SC2046 # file names without blanks
awk '
FILENAME == ARGV[1] {
    if ($0 ~ /^[ \t]*(#|$)/) next
    split($0, part, ":")
    gsub(/[ \t]/, "", part[1])
    allowed[part[1]] = " " part[2] " "
    next
}
FNR == 1 {
    inside = FILENAME ~ /^(packages\/[a-z_]+\/)?include\//
    own = FILENAME
    if (!sub(/^.*include\/tunekit\//, "", own) || !inside) own = ""
    split(own, path, "/")
    floor = path[1]
    if (inside && !(floor in allowed)) complain("is on a floor that cmake/floors.txt does not list")
    list = inside ? allowed[floor] : ""
    more = own in allowed ? allowed[own] : ""
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
    name = $0
    sub(/^[^"]*"/, "", name)
    sub(/".*/, "", name)
    if (name == "tunekit/version.hpp") next
    parts = split(name, to, "/")
    if (to[1] == "tunekit" && parts > 3 && to[3] == "detail" && to[2] != floor && !(inside && to[2] == "core"))
        complain("includes \"" name "\", which serves " to[2] " alone")
    if (!inside) next
    if (parts < 3 || to[1] != "tunekit") { complain("includes \"" name "\", want \"tunekit/FLOOR/HEADER\""); next }
    if (to[2] == floor || list ~ / package /) next
    header = substr(name, length("tunekit/") + 1)
    sub(/\.[hc]pp$/, "", header)
    # The narrowest permission is the one that is used.
    if (index(more, " " header " ")) used[own " " header] = 1
    else if (index(list, " " header " ")) used[floor " " header] = 1
    else if (index(more, " " to[2] " ")) used[own " " to[2]] = 1
    else if (index(list, " " to[2] " ")) used[floor " " to[2]] = 1
    else complain("includes \"" name "\": cmake/floors.txt has no edge from " floor " to it")
}
inside && FILENAME ~ /[.]hpp$/ && /^[ \t]*#[ \t]*include[ \t]*<(iostream|format|ranges|regex|thread|random|functional|chrono|boost\/.*|Eigen\/Dense)(\.hpp)?>/ {
    complain("includes " $0)
}
inside && FILENAME ~ /[.]cpp$/ && /^[ \t]*#[ \t]*include[ \t]*<(boost|Eigen)\// { complain("includes " $0) }
inside && /^[ \t]*#[ \t]*include[ \t]*<Eigen\// { used[floor " eigen"] = used[own " eigen"] = 1 }
inside && /^[ \t]*#[ \t]*include[ \t]*<nlohmann\// { used[own " json"] = 1 }
inside && /^[ \t]*#[ \t]*include[ \t]*<zlib[.]h>/ { used[own " zlib"] = 1 }
function complain(what) { printf "%s:%d: %s\n", FILENAME, FNR, what; bad = 1 }
END {
    for (from in allowed) {
        count = split(allowed[from], to, " ")
        for (i = 1; i <= count; ++i)
            if (to[i] !~ /^(eigen|json|zlib|mpi[.]h|opt-in|apart|package)$/ && !((from " " to[i]) in used)) {
                printf "cmake/floors.txt: %s may include %s, which none of it does\n", from, to[i]
                bad = 1
            }
    }
    exit bad
}
' cmake/floors.txt $(cat "$files")
