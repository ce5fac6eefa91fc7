"""CUDA: convolution with the filter in constant memory, a tile of the image in shared memory, several outputs per thread."""
import os
try:
    exec("from %s import tune_kernel, run_kernel" % os.environ.get("TUNER", "kernel_tuner"))
except ImportError as missing:
    raise SystemExit("no tuner: %s" % missing)
import numpy as np

TEXT = r"""
__constant__ float weight[HIGH * WIDE];
extern "C" __global__ void smooth(float *to, const float *from, int wide, int high) {
    __shared__ float part[(block_size_y * rows + HIGH - 1) * (block_size_x + WIDE - 1 + pad)];
    const int across = block_size_x + WIDE - 1 + pad;
    const int left = blockIdx.x * block_size_x, top = blockIdx.y * block_size_y * rows;
    for (int y = threadIdx.y; y < block_size_y * rows + HIGH - 1; y += block_size_y)
        for (int x = threadIdx.x; x < block_size_x + WIDE - 1; x += block_size_x)
            if (left + x < wide + WIDE - 1 && top + y < high + HIGH - 1)
                part[y * across + x] = from[(top + y) * (wide + WIDE - 1) + left + x];
    __syncthreads();
    const int x = threadIdx.x;
    for (int r = 0; r < rows; r++) {
        const int y = threadIdx.y + r * block_size_y;
        float sum = 0;
        for (int j = 0; j < HIGH; j++)
            for (int i = 0; i < WIDE; i++) sum += part[(y + j) * across + x + i] * weight[j * WIDE + i];
        if (left + x < wide && top + y < high) to[(top + y) * wide + left + x] = sum;
    }
}
"""
WIDE, HIGH = 5, 3
rng = np.random.default_rng(4)
size = (70, 45)                                                   # no multiple of a block
image = rng.random((size[1] + HIGH - 1, size[0] + WIDE - 1), np.float32)
weight = rng.random((HIGH, WIDE), np.float32)
want = sum(weight[j, i] * image[j : j + size[1], i : i + size[0]] for j in range(HIGH) for i in range(WIDE))
args = [np.zeros(size[::-1], np.float32), image, np.int32(size[0]), np.int32(size[1])]
space = {"block_size_x": [8, 16], "block_size_y": [2, 4], "rows": [1, 2, 4], "pad": [0, 1], "WIDE": [WIDE], "HIGH": [HIGH]}
call = dict(grid_div_x=["block_size_x"], grid_div_y=["block_size_y", "rows"], lang="cupy", cmem_args={"weight": weight}, quiet=True)
results, env = tune_kernel("smooth", TEXT, size, args, space, answer=[want, None, None, None], atol=1e-4,
                           restrictions=["block_size_y * rows <= 8", "pad == 0 or block_size_x % 16 == 0"],
                           metrics={"GFLOP/s": lambda p: 2 * WIDE * HIGH * size[0] * size[1] / (p["time"] / 1e3) / 1e9}, **call)
assert len(results) == 15 and all(r["GFLOP/s"] > 0 for r in results), len(results)
assert env["best_config"]["time"] == min(r["time"] for r in results)
# the filter is copied anew for each module, as it is given: twice the filter is twice the image
got = run_kernel("smooth", TEXT, size, args, {k: env["best_config"][k] for k in space}, **{**call, "cmem_args": {"weight": 2 * weight}})
assert np.allclose(got[0], 2 * want, atol=1e-4)
print("u4 ok", len(results))
