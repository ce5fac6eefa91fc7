#!/bin/sh
# SPDX-License-Identifier: MIT
# tune.sh FOLDER [--short] [OPTION...]: flags of gcc 12 for bzip2 1.0.8, from its Debian source package: chosen on some files, shown on others
# against -O2 and -O3. Where the sources come from: sources.sh.
set -eu
. "$(dirname "$0")/../support.sh"
package=bzip2 version=1.0.8
. "$here/sources.sh"

# Two pairs of a program and headers, which every machine with this compiler has.
head -c 1200000 "$("$CC" -print-prog-name=cc1)" >chosen_on
cat /usr/include/[a-m]*.h | head -c 600000 >>chosen_on
cat "$("$CC" -print-file-name=libc.so.6)" >shown_on
cat "$("$CC" -print-file-name=include)"/*.h | head -c 1700000 >>shown_on

built() { sh "$here/build.sh" bzip2-1.0.8 chosen_on "$@"; }
built O2 none -O2
built O3 none -O3
built O2-profile use -O2
O2/bzip2 -9 -k -c chosen_on >chosen_on.right
O2/bzip2 -9 -k -c shown_on >shown_on.right

if [ $short = yes ]; then rounds=7 trials=4 repeat=2; else rounds=15 trials=30 repeat=3; fi
has --trials "$@" || set -- --trials $trials "$@"
has --repeat "$@" || set -- --repeat $repeat "$@"
rm -f choice.jsonl
# shellcheck disable=SC1083 # placeholders
tune_command --space "$here/space.json" --cost cpu --check output:chosen_on.right --log choice.jsonl "$@" \
    --build "sh $here/build.sh $folder/bzip2-1.0.8 $folder/chosen_on {build} {profile}
        {level} {target} {whole} {unroll} {inline} {vectorize} {gcse} {branches} {tracer} {schedule} {induction} {pre} {split} {reorder}
        {align_loops} {align_functions} {regions} {prefetch} {aliasing}" \
    -- {build}/bzip2 -9 -k -c "$folder/chosen_on" >choice.out || { status=$? && cat choice.out && exit $status; }
cat choice.out
rm -rf tuned
sed -n 's/^mkdir -p tuned && //p' choice.out | sh
sed -n "s|^mkdir -p tuned.* tuned \([a-z]* .*\)|flags: \1|p" choice.out >flags

bash "$here/../turns.sh" "$rounds" "O2/bzip2 -9 -k -c shown_on" "O3/bzip2 -9 -k -c shown_on" "O2-profile/bzip2 -9 -k -c shown_on" \
    "tuned/bzip2 -9 -k -c shown_on" >shown.seconds
for which in O3 O2-profile tuned; do $which/bzip2 -9 -k -c shown_on | cmp - shown_on.right; done
{
    echo
    here_and_now
    "$CC" --version | head -n 1
    cat flags
    echo "compressing files that had no part in the choice: times as much processor time, median of $rounds rounds in turn, 95 %"
    echo "-O2 for -O3                   $(gain median shown.seconds 1 2)"
    echo "-O2 for -O2 with a profile    $(gain median shown.seconds 1 3)"
    echo "-O2 for the tuned flags       $(gain median shown.seconds 1 4)"
    echo "-O3 for the tuned flags       $(gain median shown.seconds 2 4)"
    echo "profile for the tuned flags   $(gain median shown.seconds 3 4)"
} | tee result
