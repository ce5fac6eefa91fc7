# SPDX-License-Identifier: MIT
"""CUDA: loop_unroll_factor_* with 0, own defines as functions, launch bounds, options only nvcc knows."""
import os
try:
    exec("from %s import tune_kernel, run_kernel" % os.environ.get("TUNER", "kernel_tuner"))
except ImportError as missing:
    raise SystemExit("no tuner: %s" % missing)
import numpy as np

NAME = "mix"
TEXT = r"""
#if !defined(kernel_tuner) || WORK != PER_LANE * block_size_x
#error a define made from the configuration is missing
#endif
extern "C" __global__ void __launch_bounds__(block_size_x) mix(double *out, const int *in, const int n, const bool odd) {
    const int base = blockIdx.x * WORK + threadIdx.x;
    double sum = 0;
    #pragma unroll loop_unroll_factor_lane
    for (int lane = 0; lane < PER_LANE; lane++) {
        const int at = base + lane * block_size_x;
        if (at < n && (!odd || (in[at] & 1))) sum += in[at];
    }
    atomicAdd(&out[0], sum);
}
"""
SPACE = {"block_size_x": [64, 192], "PER_LANE": [1, 4], "loop_unroll_factor_lane": [0, 1, 4]}
DEFINES = {"kernel_tuner": 1, "block_size_x": "block_size_x", "PER_LANE": "PER_LANE",
           "loop_unroll_factor_lane": "loop_unroll_factor_lane", "WORK": lambda p: p["block_size_x"] * p["PER_LANE"]}

def sound(p):
    return p["loop_unroll_factor_lane"] in (0, 1) or p["PER_LANE"] == 4

def main():
    n = np.int32(50_003)
    values = np.random.default_rng(2).integers(-9, 9, n).astype(np.int32)
    args = [np.zeros(1), values, n, np.bool_(True)]
    answer = [np.array([float(values[values % 2 == 1].sum())]), None, None, None]
    call = dict(lang="CUDA", defines=DEFINES, grid_div_x=lambda p: p["block_size_x"] * p["PER_LANE"], quiet=True)
    results, env = tune_kernel(NAME, TEXT, (n, 1), args, SPACE, answer=answer, atol=1e-6, iterations=3,
                               restrictions=sound, **call)
    assert len(results) == 10, len(results)          # the sum starts anew for every comparison, else these would fail
    assert not [r for r in results if r["loop_unroll_factor_lane"] == 4 and r["PER_LANE"] == 1]
    assert args[0][0] == 0 and all(len(r["times"]) == 3 for r in results)
    if os.environ.get("TUNER", "kernel_tuner") != "kernel_tuner":  # NVRTC alone refuses these: theirs needs pycuda
        run_kernel(NAME, TEXT, n, args, {"block_size_x": 64, "PER_LANE": 4, "loop_unroll_factor_lane": 0},
                   compiler_options=["-O3", "-Xptxas=-v", "--expt-relaxed-constexpr", "-Xcompiler", "-Wall"], **call)
    print("u3 ok", env["best_config"])

if __name__ == "__main__":
    main()
