#!/bin/sh
# SPDX-License-Identifier: MIT
# build_compress.sh SOURCES FOLDER [FLAG...]: compress of ncompress into FOLDER with these flags, and its code alone as FOLDER/code: a file's size is
# rounded by pages.
set -eu
sources=$1
folder=$2
shift 2
mkdir -p "$folder"
"${CC:-gcc}" -w -DDIRENT -DUSERMEM=800000 -DREGISTERS=3 "$@" "$sources/compress42.c" -Wl,--gc-sections -o "$folder/compress"
objcopy -O binary -j .text "$folder/compress" "$folder/code"
