#!/bin/sh
# SPDX-License-Identifier: MIT
# paths.sh BUILD [--tenth] [--seed N]: every program with every option that takes a path, as --help tells them, and at its place a pipe, a device
# without room, one without an end, a folder, a link and a file of 1 GiB. Each run ends by itself or by one SIGTERM, in order; pipes, devices
# and folders stay what they are, and what a link leads to stays as it was; no process and nothing in TMPDIR is left.
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/../support/attacks.sh"
tools=$build/tools
tried=0 part=0 slowest=0 slow= ended=0
fail() {
    echo "FAILED: $* $(tail -n 3 err | tr '\n' '|')"
    bad=$((bad + 1))
}
mkdir tmp
export TMPDIR="$work/tmp" OMPI_MCA_btl_vader_single_copy_mechanism=none
echo '{"parameters": [{"name": "a", "values": [1, 2, 4, 8, 16, 32, 64, 128]}, {"name": "b", "values": [0, 1, 2, 3, 4, 5, 6, 7]}]}' >space.json
printf '#!/bin/sh\nsleep 0.02\necho $(($1 + $2))\n' >program.sh
chmod +x program.sh
echo text >text
"$tools/tune_command" --space space.json --strategy random --repeat 1 --trials 4 --cost 'regex:^([0-9]+)$' --log good.jsonl -- ./program.sh '{a}' '{b}' >out 2>err ||
    fail 'there is no log to begin with'

# put KIND: what stands at the path `place`.
put() {
    rm -rf place victim
    echo victim >victim
    case $1 in
    pipe) mkfifo place ;;
    full) mknod place c 1 7 2>/dev/null || ln -s /dev/full place ;;
    endless) mknod place c 1 5 2>/dev/null || ln -s /dev/zero place ;;
    folder) mkdir place ;;
    link) ln -s victim place ;;
    large) truncate -s 1G place ;;
    esac
}
kind_of() {
    if [ -p place ]; then echo pipe; elif [ -c place ]; then echo device; elif [ -d place ]; then echo folder; else echo file; fi
}
now() { date +%s%N | cut -c1-13; }

# one PROGRAM WORD...: with each kind at `place`.
one() {
    for kind in pipe full endless folder link large; do
        part=$((part + 1))
        tries $part || continue
        tried=$((tried + 1))
        put $kind
        before=$(kind_of)
        what="$* ($kind):"
        "$tools/$@" >out 2>err </dev/null &
        child=$!
        steps=0
        while kill -0 $child 2>/dev/null && [ $steps -lt 25 ]; do
            sleep 0.02
            steps=$((steps + 1))
        done
        if kill -s TERM $child 2>/dev/null; then ended=$((ended + 1)); fi
        since=$(now) steps=0
        while kill -0 $child 2>/dev/null && [ $steps -lt 1000 ]; do
            sleep 0.02
            steps=$((steps + 1))
        done
        took=$(($(now) - since))
        if [ $took -gt $slowest ]; then slowest=$took slow=$what; fi
        [ $steps -lt 1000 ] || fail "$what SIGTERM does not end it"
        kill -s KILL $child 2>/dev/null || true
        status=0
        wait $child || status=$?
        case $status in 0 | 1 | 2 | 143) ;; *) fail "$what exit status $status" ;; esac
        [ "$status" != 2 ] || [ -s err ] || fail "$what status 2 without a word"
        case $before in file) ;; *) [ "$(kind_of)" = "$before" ] || fail "$what is a $(kind_of) now" ;; esac
        [ "$(cat victim)" = victim ] || fail "$what what the link leads to was changed"
        [ -z "$(ls -A tmp)" ] || fail "$what left in TMPDIR: $(ls tmp)"
        if pgrep -f "$work/program.sh" >/dev/null && sleep 2 && pgrep -f "$work/program.sh" >/dev/null; then fail "$what a process is left"; fi
        rm -rf made run.jsonl tmp/*
    done
}

# options PROGRAM [SUBCOMMAND]: those whose entry in --help names a file, a folder, a path or a log.
options() {
    "$tools/$@" --help | awk '/^ *(-[a-z], )?--[a-z]/ { name = $0; sub(/^ *(-[a-z], )?/, "", name); sub(/[^-a-z0-9].*/, "", name) }
        /^[A-Z]/ { name = "" }
        name != "" && /(FILE|FOLDER|PATH|LOG|OUT)/ && !(name in seen) { seen[name] = 1; print name }'
}

at=0
command="tune_command --strategy random --repeat 1 --seconds 60"
program="-- $work/program.sh {a} {b}"
for option in $(options tune_command); do
    at=$((at + 1))
    # shellcheck disable=SC2086 # words
    case $option in
    --space) one $command --space place $program ;;
    --check) one $command --space space.json --check output:place $program ;;
    --number) one $command --space space.json --number n=size:place $program ;;
    --file) one $command --space space.json --file place:made $program && one $command --space space.json --file text:place $program ;;
    --log) one $command --space space.json --log place $program && one $command --space space.json --log place --resume $program ;;
    --report) one $command --space space.json --report place --watch=1 $program ;;
    --powercap) one $command --space space.json --powercap place --number n=joules $program ;;
    --race) one tune_command --space space.json --race place $program ;;
    *) one $command --space space.json $option place $program ;;
    esac
done
one $command --space space.json --serve --trials 9 --log place
[ $at -ge 15 ] || fail "tune_command has $at options that take a path, want all of them"

cat >kernel.json <<END
{"ConfigurationSpace": {"TuningParameters": [{"Name": "a", "Type": "int", "Values": "list(range(1, 65))", "Default": 1}]},
 "KernelSpecification": {"Language": "C", "KernelName": "k", "KernelFile": "KERNEL", "ProblemSize": [8],
  "Arguments": [{"Name": "x", "Type": "uint8", "FillType": "BinaryRaw", "DataSource": "DATA", "Size": 8}]}}
END
echo 'double k(unsigned char* x) { return a + x[0]; }' >kernel.c
printf 12345678 >data
with_files() { sed "s=KERNEL=$1=; s=DATA=$2=" kernel.json; }
with_files kernel.c data >good.json
at=0
for option in $(options tune_kernel); do
    at=$((at + 1))
    one tune_kernel good.json --seconds 60 $option place
    [ $option != --log ] || one tune_kernel good.json --seconds 60 --log place --resume
done
one tune_kernel place
with_files place data >bad.json && one tune_kernel bad.json
with_files kernel.c place >bad.json && one tune_kernel bad.json
[ $at -ge 5 ] || fail "tune_kernel has $at options that take a path"

at=0
for option in $(options tune_report); do
    at=$((at + 1))
    one tune_report good.jsonl $option place
done
one tune_report place
one tune_report place -o made --watch=1
one tune_report good.jsonl -o place --watch=1
[ $at -ge 2 ] || fail "tune_report has $at options that take a path"

at=0
for option in $(options tune_shapes); do
    at=$((at + 1))
    one tune_shapes --seconds 60 --shapes 2 --results made $option place
done
cp "$here/examples/tuned_library/gemm_shapes.results" shapes.results
for option in $(options tune_shapes merge); do one tune_shapes merge shapes.results $option place; done
one tune_shapes merge place
[ $at -ge 5 ] || fail "tune_shapes has $at options that take a path"

at=0
for option in $(options score_strategy); do
    at=$((at + 1))
    case $option in
    --spaces) one score_strategy --strategy random --spaces place ;;
    --trajectories) one score_strategy --only conv2d_S12 --trajectories place ;;
    *) one score_strategy --strategy random --only conv2d_S12 --repeats 100000 $option place ;;
    esac
done
mkdir -p spaces && cp "$here/packages/scoring/recordings/conv2d_S12.params" spaces/place.params
for name in place.csv place.csv.gz; do # a recording, whose name has an end
    rm -rf spaces/$name && ln -s ../place spaces/$name
    one score_strategy --strategy random --spaces spaces/place
    rm spaces/$name
done
[ $at -ge 5 ] || fail "score_strategy has $at options that take a path"

for tool in tune_network tune_network_mpi; do
    [ -x "$tools/$tool" ] || continue
    at=0
    for option in $(options $tool); do
        at=$((at + 1))
        one $tool --network alexnet --strategy random --seconds 60 $option place
    done
    [ $at -ge 2 ] || fail "$tool has $at options that take a path"
done
echo "$tried runs, $ended of them ended by SIGTERM, $bad bad; the slowest in $slowest ms: $slow"
[ "$bad" = 0 ]
