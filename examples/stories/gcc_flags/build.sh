#!/bin/sh
# SPDX-License-Identifier: MIT
# build.sh SOURCES TRAINING FOLDER none|use [FLAG...]: bzip2 from SOURCES into FOLDER with these flags. With `use` a first build counts what
# compressing TRAINING takes, and a second is made for that.
set -eu
sources=$(cd "$1" && pwd)
training=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
mkdir -p "$3"
cd "$3"
profile=$4
shift 4
compiled() {
    "${CC:-gcc}" -w -D_FILE_OFFSET_BITS=64 "$@" "$sources/bzip2.c" "$sources/bzlib.c" "$sources/blocksort.c" "$sources/compress.c" \
        "$sources/crctable.c" "$sources/decompress.c" "$sources/huffman.c" "$sources/randtable.c" -o bzip2
}
if [ "$profile" = none ]; then
    compiled "$@"
else
    rm -f ./*.gcda
    compiled "$@" -fprofile-generate
    ./bzip2 -9 -k -c "$training" >trained
    compiled "$@" -fprofile-use
    rm -f ./*.gcda trained
fi
