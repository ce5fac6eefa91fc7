#!/bin/sh
# SPDX-License-Identifier: MIT
# tune.sh FOLDER [--short] [OPTION...]: the blocking sizes of OpenBLAS 0.3.21 as Debian 12 ships it, without compiling it: sizes.c writes them
# into its table. The cost is the geometric mean of eight routines that share them; chosen on some sizes of matrices, shown on others.
set -eu
. "$(dirname "$0")/../support.sh"
library=${OPENBLAS:-/usr/lib/x86_64-linux-gnu/libopenblas.so.0}
CC=${CC:-gcc}
wants "$CC" gcc 'a C compiler'
[ -e "$library" ] || lacks="$lacks
  OpenBLAS 0.3.21 (Debian: libopenblas0-pthread)"
wants_end
"$CC" -O2 "$here/routines.c" "$library" -lm -o routines
"$CC" -O2 -shared -fPIC "$here/sizes.c" "$library" -o sizes.so
export OPENBLAS_NUM_THREADS=1
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE DGEMM_SIZES
wants_version OpenBLAS "$(./routines | sed -n '1s/^OpenBLAS //p')" 0.3.21 libopenblas0-pthread
detected=$(./routines | tail -n 1)
core=$detected
case $core in
Haswell | Zen | SkylakeX | Cooperlake) ;;
*) # this version does not know the processor, and takes the kernels of an old one
    if grep -qw avx512vl /proc/cpuinfo; then core=SkylakeX
    elif grep -qw avx2 /proc/cpuinfo; then core=Haswell
    else
        echo "this story is of the cores Haswell, Zen, SkylakeX and Cooperlake, OpenBLAS runs $core here" >&2
        exit 77
    fi
    ;;
esac
case $core in Haswell | Zen) own=512,256 ;; *) own=192,384 ;; esac

if [ $short = yes ]; then
    chosen_on='100 300' shown_on='150 250' rounds=8 few='150' trials=4
else
    chosen_on='300 800 1500' shown_on='200 600 1200 1600' few='200 600' rounds=8 trials=40
fi
has --trials "$@" || set -- --trials $trials "$@"
has --repeat "$@" || set -- --repeat 1 "$@"
numbers=''
for routine in dgemm dsymm dsyrk dsyr2k dtrmm dtrsm dgetrf dpotrf; do numbers="$numbers --number $routine=regex:$routine.([0-9.]+)"; done
rm -f choice.jsonl
# shellcheck disable=SC1083,SC2086 # placeholders, lists of words
tune_command --space "$here/space.json" --default "p=${own%,*},q=${own#*,}" --cost 'regex:mean ([0-9.]+)' --unit us $numbers --log choice.jsonl \
    --env OPENBLAS_CORETYPE=$core --env LD_PRELOAD="$folder/sizes.so" --env DGEMM_SIZES={p},{q} "$@" \
    -- "$folder/routines" $chosen_on >choice.out || { status=$? && cat choice.out && exit $status; }
cat choice.out
sizes=$(sed -n 's/.*DGEMM_SIZES=\([0-9,]*\) .*/\1/p' choice.out)

# In turn, so that what the machine does beside it comes to all. What is installed may take many times as long: on fewer matrices.
rm -f shown.*
export OPENBLAS_CORETYPE=$core
round=0
# shellcheck disable=SC2086 # lists of words
while [ $round -lt $rounds ]; do
    for which in installed few core sizes sizes core few installed; do
        case $which in
        installed) env -u OPENBLAS_CORETYPE ./routines $few ;;
        few) ./routines $few ;;
        core) ./routines $shown_on ;;
        sizes) DGEMM_SIZES=$sizes LD_PRELOAD=$folder/sizes.so ./routines $shown_on ;;
        esac >>shown.$which
    done
    round=$((round + 2))
done
paste -d ' ' shown.installed shown.few shown.core shown.sizes >shown.all
gained() { gain median shown.all "$1" "$2"; }
below_one() { echo "$1" | awk '{ exit !($1 + 0 < 1) }'; }
{
    echo
    here_and_now
    echo "OpenBLAS 0.3.21, core $detected; here $core, whose sizes are P,Q = $own; chosen: $sizes"
    echo "matrices of $shown_on ($few as installed), which had no part in the choice: times as much processor time, $rounds rounds, 95 %"
    printf '%-10s %-28s %s\n' routine "as installed for $core" "$core for its chosen sizes"
    k=2 lost=''
    for routine in 'all eight' dgemm dsymm dsyrk dsyr2k dtrmm dtrsm dgetrf dpotrf; do
        gained=$(gained $((36 + k)) $((54 + k)))
        [ $k != 2 ] || all=$gained
        printf '%-10s %-28s %s\n' "$routine" "$(gained $k $((18 + k)))" "$gained"
        ! below_one "${gained#*, }" || lost="$lost $routine"
        k=$((k + 2))
    done
    echo
    echo "for a program of yours: OPENBLAS_CORETYPE=$core DGEMM_SIZES=$sizes LD_PRELOAD=$folder/sizes.so PROGRAM"
    low=${all#*[}
    if [ -n "$lost" ] || below_one "$low"; then echo "nothing for upstream: no gain over all eight is shown, or one lost:${lost:- none}"
    else echo "upstream, param.h, for this processor: DGEMM_DEFAULT_P ${sizes%,*} (is ${own%,*}), DGEMM_DEFAULT_Q ${sizes#*,} (is ${own#*,})"; fi
    [ "$core" = "$detected" ] || echo "upstream, driver/others/dynamic.c: family.model of this processor is not known, want $core"
} | tee result
