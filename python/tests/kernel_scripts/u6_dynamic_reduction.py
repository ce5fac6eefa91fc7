"""CUDA: a sum in two steps with dynamic shared memory, a verify function, blocks in a loop over the grid."""
import os
try:
    exec("from %s import tune_kernel, run_kernel" % os.environ.get("TUNER", "kernel_tuner"))
except ImportError as missing:
    raise SystemExit("no tuner: %s" % missing)
import numpy as np

TEXT = r"""
extern "C" __global__ void total(float *sums, const float *in, int n) {
    extern __shared__ float part[];
    const int me = threadIdx.x;
    float mine = 0;
    for (int at = (blockIdx.x * block_size_x + me) * vector; at < n; at += block_size_x * num_blocks * vector)
        for (int k = 0; k < vector && at + k < n; k++) mine += in[at + k];
    part[me] = mine;
    __syncthreads();
    #pragma unroll loop_unroll_factor_tree
    for (int step = block_size_x / 2; step > 0; step /= 2) {
        if (me < step) part[me] += part[me + step];
        __syncthreads();
    }
    if (me == 0) sums[blockIdx.x] = part[0];
}
"""
n = np.int32(30011)
values = np.random.default_rng(7).random(n, np.float32)
sums = np.zeros(64, np.float32)
calls = []

def same_total(answer, result, atol):
    calls.append(atol)
    return abs(float(result[0].astype(float).sum()) - float(answer[0][0])) < atol

space = {"block_size_x": [32, 128], "num_blocks": [4, 64], "vector": [1, 2], "loop_unroll_factor_tree": [0, 1]}
size = {"size": "block_size_x * 4"}
results, env = tune_kernel("total", TEXT, "num_blocks", [sums, values, n], space, grid_div_x=[], lang="nvcuda", smem_args=size,
                           answer=[np.array([values.sum(dtype=float)]), None, None], verify=same_total, atol=0.5, quiet=True)
assert len(results) == 16 and len(calls) == 16 and set(calls) == {0.5}, (len(results), calls)
for how in (size, {"size": lambda p: 4 * p["block_size_x"]}, {"size": 4 * 64}):
    got = run_kernel("total", TEXT, ("num_blocks", 1), [sums, values, n],
                     {"block_size_x": 64, "num_blocks": 8, "vector": 2, "loop_unroll_factor_tree": 1}, grid_div_x=[], lang="nvcuda", smem_args=how, quiet=True)
    assert abs(got[0].sum(dtype=float) - values.sum(dtype=float)) < 0.5 and not got[0][8:].any()
print("u6 ok", len(calls))
