#!/bin/sh
# SPDX-License-Identifier: MIT
# What tune_kernel promises: it finds the best configuration of a kernel in C and in OpenCL C that a T1 problem names, writes log, page and
# T4, takes a run up again, and tells wrong input in one line and exit status 2, and that there is no device with 3.
set -eu
program=$1/tools/tune_kernel
. "$(dirname "$0")/../../../tests/support/refuses.sh"
cd "$work"

# problem LANGUAGE FILE TYPE...: n = 1000; the tile decides. The forms are those of public problems: values as a comprehension, divisors
# and sizes by expressions, a default that the conditions forbid.
problem() {
    cat <<END
{"General": {"BenchmarkName": "scale"},
 "ConfigurationSpace": {"TuningParameters": [
   {"Name": "block_size_x", "Type": "int", "Values": "[1] + [i for i in range(2, 9) if 8 % i == 0] + list(range(16, 33, 16))", "Default": 32},
   {"Name": "right", "Type": "int", "Values": "[1, 0]", "Default": 1}],
  "Conditions": [{"Parameters": ["block_size_x"], "Expression": "block_size_x < 32"}]},
 "KernelSpecification": {"Language": "$1", "KernelName": "scale", "KernelFile": "$2", "CompilerOptions": ["-DFACTOR=2"],
  "ProblemSize": [1000], "GridDivX": ["block_size_x"], "LocalSize": {"X": "block_size_x"}, "SharedMemory": 0,
  "Arguments": [
   {"Name": "y", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "FillType": "Constant", "FillValue": 0.0, "Size": "ProblemSize[0]"},
   {"Name": "x", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "FillType": "Random", "FillValue": 1.0, "Size": "ProblemSize[0] + max(block_size_x)"},
   {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": 1000}]}}
END
}
cat >scale.c <<'END'
double scale(float* restrict y, const float* restrict x, int n)
{
    for (int i = 0; i < n - !right; ++i) y[i] = FACTOR * x[i];
    return 10 + (block_size_x - 8) * (block_size_x - 8);
}
END
problem C scale.c >c.json
"$program" c.json --trials 10 --seed 1 --json --log run.jsonl --report run.html --t4 t4.json >out.json 2>err || fail "C: exit status $?: $(cat err)"
grep -q 'the default is not a configuration of the space' err || fail "C: a default outside the conditions is not told: $(cat err)"
grep -q '"cost": 10.0' out.json || fail "C: $(grep -A3 '"best"' out.json)"
grep -q -- '-Dblock_size_x=8' out.json || fail "C: the best is not that of block_size_x 8"
grep -q '"failed": 5' out.json || fail "C: want 5 wrong ones: $(grep failed out.json)"
grep -q '"wrong_result"' run.jsonl || fail "C: the log has no wrong_result"
grep -q '<html' run.html || fail "C: no page"
[ "$(json_rows t4.json results)" = 10 ] || fail "C: T4 has $(json_rows t4.json results) rows, want 10"
"$program" c.json --trials 10 --seed 1 --json --log run.jsonl --resume >again.json 2>err || fail "--resume: exit status $?: $(cat err)"
grep -q '"cost": 10.0' again.json || fail "--resume: another best"
sed 's/double/void/; s/return.*//' scale.c >timed.c
problem C timed.c >timed.json
"$program" timed.json --seconds 5 --default block_size_x=8,right=1 --json >out.json 2>err || fail "timed: exit status $?: $(cat err)"
grep -q '"unit": "s"' out.json || fail "timed: costs are no seconds"

# Several sizes: small ones are best in blocks of 2, large ones of 8, and the header says so, with what was measured before.
sed 's/block_size_x - 8/block_size_x - (n < 500 ? 2 : 8)/g' scale.c >sized.c
problem C sized.c | sed 's/"FillValue": 1000}/"FillValue": "ProblemSize[0]"}/; s/"Default": 32/"Default": 8/' >sized.json
"$program" sized.json --sizes 100,2000 --trials 10 --results sized.results --header sized.hpp >out 2>err || fail "--sizes: exit status $?: $(cat err)"
grep -q '100: block_size_x=2 right=1, 10' out && grep -q '2000: block_size_x=8 right=1, 10' out || fail "--sizes says $(cat out)"
"$program" sized.json --sizes 2000,100,3000 --trials 10 --results sized.results --header sized.hpp >out 2>err || fail "--sizes, again: exit status $?: $(cat err)"
grep -q '3000: block_size_x=8' out && [ "$(wc -l <out)" = 3 ] || fail "--sizes, again, says $(cat out)"
cat >use.cpp <<'END'
#include "sized.hpp"
static_assert(kernel_choice::choose(100).block_size_x == 2 && kernel_choice::choose(3000).block_size_x == 8, "measured");
static_assert(kernel_choice::choose(90).block_size_x == 2 && kernel_choice::choose(2500).block_size_x == 8, "between");
int main() { return 0; }
END
c++ -std=c++17 use.cpp -o use || fail "--sizes: the header does not say what was found"
refuses "--sizes '10x', want numbers" sized.json --sizes 10x --header none.hpp
refuses "--sizes '4x4', want one to three numbers" sized.json --sizes 10,4x4 --header none.hpp
refuses "--sizes '10,,20' has nothing before or behind a comma" sized.json --sizes 10,,20 --header none.hpp
refuses "--sizes '10' twice" sized.json --sizes 10,10 --header none.hpp
refuses 'is not an identifier' sized.json --sizes 10 --header none.hpp --name a-b
refuses 'want --header FILE' sized.json --sizes 10
refuses 'want it without --log' sized.json --sizes 10 --header none.hpp --log none.jsonl
[ ! -e none.hpp ] && [ ! -e none.jsonl ] || fail "--sizes: what was refused left a file"

if find "${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}" -name '*.icd' 2>/dev/null | grep -q .; then
    cat >scale.cl <<'END'
__kernel void scale(__global float* y, __global const float* x, int n)
{
    const int i = get_global_id(0);
    if (i < n - !right) y[i] = FACTOR * x[i];
}
END
    problem OpenCL scale.cl | sed 's/"\[1\] + .*16))"/"[8, 16]"/' >cl.json
    "$program" cl.json --trials 4 --iterations 3 --json >out.json 2>err || fail "OpenCL: exit status $?: $(cat err)"
    grep -q '"failed": 2' out.json || fail "OpenCL: want 2 wrong ones: $(grep -A9 '"failed"' out.json)"
    grep -q -- '-Dright=1' out.json || fail "OpenCL: the best is a wrong one"
else
    echo 'not tried: OpenCL, there is no driver of it'
fi

cat >scale.cu <<'END'
__global__ void scale(float* y, const float* x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - !right) y[i] = FACTOR * x[i];
}
END
problem CUDA scale.cu >cuda.json
emulated=$1/tests/libemulated_cuda.so  # which test_devices builds
if [ -e "$emulated" ]; then
    mkdir drivers
    for name in libcuda.so.1 libnvrtc.so.13; do ln -s "$emulated" "drivers/$name"; done
    sed 's/"\[1\] + .*16))"/"[i * 8 for i in range(1, 3)]"/' cuda.json >emulated.json
    LD_LIBRARY_PATH=$PWD/drivers "$program" emulated.json --trials 4 --iterations 3 --json >out.json 2>err || fail "CUDA: exit status $?: $(cat err)"
    grep -q '"failed": 2' out.json || fail "CUDA: want 2 wrong ones: $(grep -A9 '"failed"' out.json)"
    grep -q -- '-Dright=1' out.json || fail "CUDA: the best is a wrong one"

    # Two devices: one worker each; those that differ, are not there or stand twice are refused; who else computes there is told.
    ln -s "$emulated" drivers/libnvidia-ml.so.1
    one=$program
    emulate() { env LD_LIBRARY_PATH="$work/drivers" TUNEKIT_EMULATED_DEVICES="$devices" TUNEKIT_EMULATED_USED="$used" "$one" "$@"; }
    devices='Emulated Device,Emulated Device' used=1
    emulate emulated.json --device 0,1 --trials 4 --iterations 3 --json --report two.html >out.json 2>err || fail "two devices: exit status $?: $(cat err)"
    grep -q '"failed": 2' out.json && grep -q -- '-Dright=1' out.json || fail "two devices: $(cat out.json)"
    grep -q 'device 1 is used by process 4242, too' err || fail "two devices: who uses one is not told: $(cat err)"
    grep -q 'device 0,1: Emulated Device' two.html && grep -q '>workers<' two.html || fail "two devices: the page has one"
    program=emulate used=9
    for file in c emulated; do sed 's/"Default": 32/"Default": 8/' $file.json >two_$file.json; done
    refuses 'device 0 twice, want each once' two_emulated.json --device 0,0
    refuses "--device '0,' has nothing before or behind a comma" two_emulated.json --device 0,
    refuses "--device '-1', want a number from 0 on" two_emulated.json --device -1
    refuses "--device '' has nothing" two_emulated.json --device ''
    refuses "--device 'x', want a number from 0 on" two_emulated.json --device 0,x
    refuses '--sizes takes one device' two_emulated.json --device 0,1 --sizes 8 --header none.hpp
    refuses 'a kernel in C runs on the processor, want one device' two_c.json --device 0,1
    devices='Emulated Device,Other Device'
    refuses 'and 1 is Other Device (sm_90a, 4 processors), want equal ones' two_emulated.json --device 0,1
    status=0
    emulate two_emulated.json --device 0,2 >out 2>err || status=$?
    [ "$status" = 3 ] && grep -q 'no CUDA device 2: want 0 to 1' err || fail "a device that is not there: exit status $status: $(cat err)"
    program=$one
else
    echo "not tried: CUDA, there is no $emulated: build test_devices"
fi

sed 's/"Default": 32/"Default": 8/' c.json >good.json
sed 's/"KernelName": "scale"/"KernelName": "scales"/' good.json >bad.json
refuses "the text has no function 'scales'" bad.json
sed 's/"KernelFile": "scale.c"/"KernelFile": "none.c"/' good.json >bad.json
refuses 'none.c' bad.json
sed 's/"Language": "C"/"Language": "HIP"/' good.json >bad.json
refuses 'Language: is HIP, want CUDA, OpenCL, C or C++' bad.json
sed 's/"X": "block_size_x"/"X": "block"/' good.json >bad.json
refuses 'no parameter is called' bad.json
sed '/"Name": "n"/d; s/max(block_size_x)"},/max(block_size_x)"}]}}/' good.json >bad.json
refuses "takes 3 arguments, and there are 2" bad.json
sed 's/"block_size_x < 32"/"block_size_x < 1"/' good.json >bad.json
refuses 'leaves nothing' bad.json
sed 's/ProblemSize\[0\] + /ProblemSize[3] + /' good.json >bad.json
refuses "has 'ProblemSize[3', want a size of ProblemSize or a parameter" bad.json
# Arrays beyond the memory of any machine, sizes that double in each other, and values that their type does not have.
for size in 1e15 1e300 -1 0; do
    sed "s/\"Size\": \"ProblemSize\[0\]\"/\"Size\": $size/" good.json >bad.json
    refuses 'and all arrays in half of the memory of this machine' bad.json
done
sizes=1000
for k in $(seq 0 40); do sizes="$sizes, \"ProblemSize[$k] * ProblemSize[$k]\""; done
sed "s/\"ProblemSize\": \[1000\]/\"ProblemSize\": [$sizes]/" good.json >bad.json
refuses 'has more than 65536 bytes with its sizes' bad.json
for value in 2147483648 -2147483649 1e300; do
    sed "s/\"FillValue\": 1000/\"FillValue\": $value/" good.json >bad.json
    refuses 'want a number that the type has' bad.json
done
sed 's/"Type": "float"/"Type": "custom", "TypeSize": -4/' good.json >bad.json
refuses 'TypeSize: is -4, want 1 to 65536 bytes' bad.json
refuses 'no program' good.json --compiler none-such
refuses '--trails is not an option, want --trials' c.json --trails 3
refuses '--resume needs a log' c.json --resume
if [ ! -e /dev/nvidiactl ]; then
    status=0
    "$program" cuda.json >out 2>err || status=$?
    [ "$status" = 3 ] || fail "no device: exit status $status, want 3"
    [ "$(wc -l <err)" -le 2 ] || fail "no device: $(cat err)"
fi
exit $bad
