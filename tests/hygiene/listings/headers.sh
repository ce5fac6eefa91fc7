#!/bin/sh
# SPDX-License-Identifier: MIT
# headers.sh ROOT WORK PYTHON COMPILER FLAG...: the listings of the headers' comments compile. scripts/reference finds them and writes one translation unit, in
# which each is a function in the namespace of its header, with what tests/hygiene/listings/headers.hpp declares. It complains of an indented block that is neither a
# listing nor a formula. Listings of mpi/ are left out where there is no mpi.h.
set -eu
root=$1 work=$2 python=$3
shift 3
rm -rf "$work"
mkdir -p "$work"
"$python" "$root/scripts/reference" "$work" --listings
cd "$root"
for mpi in "" /usr/lib/*/openmpi/include /usr/lib/*/mpich/include; do
    if [ -e "${mpi:-/usr/include}/mpi.h" ]; then break; fi
    mpi=none
done
case $mpi in
none) set -- "$@" -DLISTINGS_WITHOUT_mpi ;;
?*) set -- "$@" -isystem "$mpi" ;;
esac
"$@" -std=c++20 -fsyntax-only -w -iquote "$root" "$work/listings.cpp" || {
    echo "these listings do not compile: the lines are those of the headers"
    exit 1
}
