"""CUDA: what everybody begins with: vectors added, matrices multiplied by tiles, a stencil; from files, without lang."""
import os
try:
    exec("from %s import tune_kernel, run_kernel" % os.environ.get("TUNER", "kernel_tuner"))
except ImportError as missing:
    raise SystemExit("no tuner: %s" % missing)
import json, pathlib, tempfile
import numpy as np

os.chdir(tempfile.mkdtemp())
pathlib.Path("add.cu").write_text(r"""
__global__ void add(float *c, const float *a, const float *b, int n) {
    int at = blockIdx.x * block_size_x + threadIdx.x;
    if (at < n) c[at] = a[at] + b[at];
}
""")
pathlib.Path("product.cu").write_text(r"""
#define SIDE block_size_x
__global__ void product(float *c, const float *a, const float *b) {
    __shared__ float mine[SIDE][SIDE];
    __shared__ float other[SIDE][SIDE * across];
    const int x = blockIdx.x * SIDE * across + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    float sum[across];
    for (int t = 0; t < across; t++) sum[t] = 0;
    for (int begin = 0; begin < WIDTH; begin += SIDE) {
        __syncthreads();
        mine[threadIdx.y][threadIdx.x] = a[y * WIDTH + begin + threadIdx.x];
        for (int t = 0; t < across; t++) other[threadIdx.y][threadIdx.x + t * SIDE] = b[(begin + threadIdx.y) * WIDTH + x + t * SIDE];
        __syncthreads();
        for (int k = 0; k < SIDE; k++)
            for (int t = 0; t < across; t++) sum[t] += mine[threadIdx.y][k] * other[k][threadIdx.x + t * SIDE];
    }
    for (int t = 0; t < across; t++) c[y * WIDTH + x + t * SIDE] = sum[t];
}
""")
pathlib.Path("stencil.cu").write_text(r"""
#ifndef kernel_tuner
#define block_size_x 16
#define block_size_y 16
#endif
__global__ void spread(float *to, const float *from, int wide, int high) {
    const int x = blockIdx.x * block_size_x + threadIdx.x, y = blockIdx.y * block_size_y + threadIdx.y;
    if (x > 0 && x < wide - 1 && y > 0 && y < high - 1) {
        const float *at = from + y * wide + x;
        to[y * wide + x] = at[0] + 0.25f * (at[-1] + at[1] + at[-wide] + at[wide] - 4 * at[0]);
    }
}
""")
rng = np.random.default_rng(9)
n = 2000
a, b = rng.random(n, np.float32), rng.random(n, np.float32)
results, env = tune_kernel("add", "add.cu", n, [np.zeros_like(a), a, b, np.int32(n)], {"block_size_x": [128 + 64 * i for i in range(5)]},
                           answer=[a + b, None, None, None], quiet=True)
assert len(results) == 5
json.dumps([results, env])
w = 64
x, y = rng.random((w, w), np.float32), rng.random((w, w), np.float32)
results, env = tune_kernel("product", "product.cu", (w, w), [np.zeros((w, w), np.float32), x, y],
                           {"block_size_x": [8, 16], "block_size_y": [8, 16], "across": [1, 2, 4], "WIDTH": [w]},
                           grid_div_x=["block_size_x", "across"], restrictions=["block_size_x == block_size_y"], answer=[x @ y, None, None], atol=1e-3,
                           metrics={"GFLOP/s": "2 * 64**3 / (time / 1e3) / 1e9"}, objective="GFLOP/s", quiet=True)
assert len(results) == 6 and env["best_config"]["GFLOP/s"] == max(r["GFLOP/s"] for r in results)
want = x.copy()
want[1:-1, 1:-1] += 0.25 * (x[1:-1, :-2] + x[1:-1, 2:] + x[:-2, 1:-1] + x[2:, 1:-1] - 4 * x[1:-1, 1:-1])
results, env = tune_kernel("spread", pathlib.Path("stencil.cu"), (w, w), [x.copy(), x, np.int32(w), np.int32(w)],
                           {"block_size_x": [16, 32], "block_size_y": [2, 4]}, answer=[want, None, None, None], quiet=True,
                           strategy="random_sample", strategy_options={"max_fevals": 3})
assert len(results) == 3
print("u7 ok")
