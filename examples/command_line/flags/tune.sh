#!/bin/sh
# SPDX-License-Identifier: MIT
# tune.sh FOLDER [OPTION...]: looks in FOLDER for flags of g++ that make work.cpp fast.
# Options are those of tune_command, which must be in the PATH.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
shift
g++ -std=c++20 -O2 "$here/work.cpp" -o work
./work >right
# shellcheck disable=SC1083 # placeholders
tune_command --space "$here/space.json" --cost cpu --check output:right --tolerance 1e-3 "$@" \
    --build "g++ -std=c++20
        {level} {target} {vector_width} {vectorize_loops} {vectorize_blocks} {vector_cost} {unroll} {unroll_times} {peel}
        {unswitch} {split_loops} {interchange} {jam} {distribute} {prefetch} {induction} {inline} {inline_size}
        {partial_inline} {clone} {constants} {points_to} {whole} {lto} {guess_calls} {alias} {frame} {gcse}
        {gcse_after_reload} {partial_pre} {if_convert} {jump_threads} {schedule_early} {schedule_late} {pressure} {modulo}
        {allocator} {regions} {align_loops} {align_functions} {errno} {traps} {zeros} {reorder} {reciprocal} {contract}
        $here/work.cpp -o {build}/work" -- {build}/work
