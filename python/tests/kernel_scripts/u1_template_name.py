# SPDX-License-Identifier: MIT
"""CUDA: a template in a namespace, named with parameters between its brackets, no extern "C", no macros."""
import os
try:
    exec("from %s import tune_kernel, run_kernel" % os.environ.get("TUNER", "kernel_tuner"))
except ImportError as missing:
    raise SystemExit("no tuner: %s" % missing)
import numpy as np

NAME = "lab::stretch<kind, block_size_x * reach>"
TEXT = r"""
namespace lab {
template <typename acc_t, int per_block>
__global__ void stretch(float *__restrict__ to, const float *__restrict__ from, int n) {
    static_assert(per_block >= 32, "");
    for (int at = blockIdx.x * per_block + threadIdx.x; at < min(n, (blockIdx.x + 1) * per_block); at += blockDim.x) {
        acc_t sum = 0;
        for (int hop = -8; hop <= 8; hop++) sum += static_cast<acc_t>(from[max(0, min(n - 1, at + hop))]);
        to[at] = static_cast<float>(sum / acc_t(17));
    }
}
}
"""
SPACE = {"kind": ["float", "double"], "block_size_x": [32, 128, 256], "reach": [1, 2]}

def main():
    n = np.int32(30_000)
    src = np.random.default_rng(1).random(n, dtype=np.float32)
    padded = np.pad(src.astype(np.float64), 8, mode="edge")
    answer = [np.convolve(padded, np.full(17, 1 / 17), "valid").astype(np.float32), None, None]
    args, per = [np.zeros(n, np.float32), src, n], ["block_size_x", "reach"]
    call = dict(grid_div_x=per, defines={}, quiet=True, compiler_options=["-std=c++17"])
    got = run_kernel(NAME, TEXT, int(n), args, {"kind": "double", "block_size_x": 64, "reach": 3}, lang="cupy", **call)
    assert np.allclose(got[0], answer[0], atol=1e-5) and np.all(args[0] == 0)
    results, env = tune_kernel(NAME, TEXT, n, args, SPACE, lang="cupy", answer=answer, atol=1e-5,
                               restrictions=["block_size_x * reach < 512"], **call)
    assert len(results) == 10 and {r["kind"] for r in results} == {"float", "double"}
    assert all(0 < r["time"] < 1000 and len(r["times"]) == 7 for r in results)       # milliseconds
    assert env["device_name"] and env["best_config"]["time"] == min(r["time"] for r in results)
    print("u1 ok", env["best_config"])

if __name__ == "__main__":
    main()
