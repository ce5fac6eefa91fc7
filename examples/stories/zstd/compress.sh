#!/bin/sh
# SPDX-License-Identifier: MIT
# compress.sh FILE OUT OPTION...: what is measured: zstd on one thread, from memory to a file that is thrown away.
set -eu
from=$1
out=$2
shift 2
exec zstd -q -f --single-thread --no-check "$@" "$from" -o "$out"
