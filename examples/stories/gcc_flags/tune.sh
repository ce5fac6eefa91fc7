#!/bin/sh
# SPDX-License-Identifier: MIT
# tune.sh FOLDER [--short] [OPTION...]: flags of gcc 12 for bzip2 1.0.8, from its Debian source package: chosen on some files, shown on others
# against -O2 and -O3. The sources come by apt-get from where this machine's packages come from, into FOLDER, unless bzip2-1.0.8 lies there.
set -eu
. "$(dirname "$0")/../support.sh"
CC=${CC:-$(command -v gcc-12 || echo gcc)}
export CC
wants "$CC" gcc-12 'the compiler gcc 12'
if [ ! -d bzip2-1.0.8 ]; then
    wants dpkg-source dpkg-dev 'what unpacks source packages'
    wants apt-get apt 'what fetches source packages'
fi
wants_end
wants_version gcc "$("$CC" -dumpfullversion)" 12 gcc-12

# sources: with lists of its own, so that the machine's stay as they are.
sources() {
    mkdir -p apt/lists/partial apt/cache/archives/partial apt/parts
    apt-get indextargets --format "deb-src \$(REPO_URI) \$(RELEASE) main" 'Created-By: Packages' 'Origin: Debian' 'Component: main' |
        sort -u >apt/sources.list
    set -- -q -o "Dir::Etc::SourceList=$folder/apt/sources.list" -o "Dir::Etc::SourceParts=$folder/apt/parts" \
        -o "Dir::State::Lists=$folder/apt/lists" -o "Dir::Cache=$folder/apt/cache"
    [ -s apt/sources.list ] && apt-get "$@" update && apt-get "$@" source --only-source bzip2 && [ -d bzip2-1.0.8 ]
}
if [ ! -d bzip2-1.0.8 ] && ! sources >sources.out 2>&1; then
    tail -n 3 sources.out >&2
    echo "this story needs the sources of bzip2 1.0.8 (Debian 12: source package bzip2), unpacked as $folder/bzip2-1.0.8" >&2
    exit 77
fi

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

if [ $short = yes ]; then rounds=7 && set -- --trials 4 --repeat 2 "$@"; else rounds=15 && set -- --trials 30 --repeat 3 "$@"; fi
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
