"""CUDA: points inside a polygon, corners in constant memory, text that differs by methods, the answer by a plain kernel."""
import os
try:
    exec("from %s import tune_kernel, run_kernel" % os.environ.get("TUNER", "kernel_tuner"))
except ImportError as missing:
    raise SystemExit("no tuner: %s" % missing)
import numpy as np

TEXT = r"""
struct place { float x, y; };
__constant__ place corner[CORNERS];
__device__ int between(float y, float from, float to) {
#if METHOD == 0
    return (from > y) != (to > y);
#elif METHOD == 1
    return (from > y) ^ (to > y);
#else
    return (from > y && to <= y) || (from <= y && to > y);
#endif
}
extern "C" __global__ void inside(int *flags, const place *points, int n) {
    const int first = blockIdx.x * block_size_x * per_thread + threadIdx.x;
    #pragma unroll
    for (int t = 0; t < per_thread; t++) {
        const int at = first + t * block_size_x;
        if (at >= n) return;
        int crossings = 0;
        for (int k = 0, before = CORNERS - 1; k < CORNERS; before = k++)
            if (between(points[at].y, corner[k].y, corner[before].y)) {
                const float slope = (corner[before].x - corner[k].x) / (corner[before].y - corner[k].y);
                crossings += points[at].x < slope * (points[at].y - corner[k].y) + corner[k].x;
            }
        flags[at] = crossings & 1;
    }
}
"""
PLAIN = r"""
struct place { float x, y; };
extern "C" __global__ void inside_plain(int *flags, const place *points, const place *corner, int corners, int n) {
    const int at = blockIdx.x * block_size_x + threadIdx.x;
    if (at >= n) return;
    int crossings = 0;
    for (int k = 0; k < corners; k++) {
        const place a = corner[k], b = corner[(k + 1) % corners];
        if ((a.y > points[at].y) != (b.y > points[at].y))
            crossings += points[at].x < (b.x - a.x) / (b.y - a.y) * (points[at].y - a.y) + a.x;
    }
    flags[at] = crossings % 2;
}
"""
n, CORNERS = 1500, 24
rng = np.random.default_rng(6)
angle = np.linspace(0, 2 * np.pi, CORNERS, endpoint=False)
reach = np.where(np.arange(CORNERS) % 2, 0.5, 1.0)                # a star
corner = np.stack([reach * np.cos(angle), reach * np.sin(angle)], axis=1).astype(np.float32)
points = rng.uniform(-1, 1, (n, 2)).astype(np.float32)
flags = np.full(n, -1, np.int32)
plain = run_kernel("inside_plain", PLAIN, n, [flags, points, corner, np.int32(CORNERS), np.int32(n)], {"block_size_x": 64}, lang="CUDA", quiet=True)
share = plain[0].mean()                                           # of the square's area; the star's is known
assert set(plain[0]) == {0, 1} and abs(share - CORNERS / 2 * 0.5 * np.sin(2 * np.pi / CORNERS) / 4) < 0.05, share
space = {"block_size_x": [32, 96], "per_thread": [1, 3], "METHOD": [0, 1, 2], "CORNERS": [CORNERS]}
results, env = tune_kernel("inside", TEXT, n, [flags, points, np.int32(n)], space, grid_div_x=["block_size_x", "per_thread"], lang="CUDA",
                           cmem_args={"corner": corner}, answer=[plain[0], None, None], quiet=True)
assert len(results) == 12 and {r["METHOD"] for r in results} == {0, 1, 2}
assert np.all(flags == -1)
print("u5 ok", round(float(share), 2))
