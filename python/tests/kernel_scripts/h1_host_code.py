"""CUDA host code as C: a list of .cu files whose function launches the kernel and returns its own milliseconds; built by nvcc."""
import os
try:
    exec("from %s import tune_kernel, run_kernel" % os.environ.get("TUNER", "kernel_tuner"))
except ImportError as missing:
    raise SystemExit("no tuner: %s" % missing)
import pathlib, tempfile, warnings
import numpy as np

warnings.simplefilter("ignore")
os.chdir(tempfile.mkdtemp())
pathlib.Path("device.cu").write_text(r"""
#ifdef __CUDACC__
__global__ void scale_all(float *to, const float *from, int n) {
    const int at = blockIdx.x * block_size_x + threadIdx.x;
    if (at < n) to[at] = FACTOR * from[at];
}
#endif
""")
pathlib.Path("host.cu").write_text(r"""
#include <chrono>
#include <stdexcept>
#include "device.cu"
#ifdef __CUDACC__
#include <cuda_runtime.h>
static void must(cudaError_t code) { if (code != cudaSuccess) throw std::runtime_error(cudaGetErrorString(code)); }
static bool on_device(float *to, const float *from, int n) {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return false;
    float *x = nullptr, *y = nullptr;
    must(cudaMalloc(&x, n * sizeof(float)));
    must(cudaMalloc(&y, n * sizeof(float)));
    must(cudaMemcpy(x, from, n * sizeof(float), cudaMemcpyHostToDevice));
    scale_all<<<(n + block_size_x - 1) / block_size_x, block_size_x>>>(y, x, n);
    must(cudaMemcpy(to, y, n * sizeof(float), cudaMemcpyDeviceToHost));
    must(cudaFree(x));
    must(cudaFree(y));
    return true;
}
#else
static bool on_device(float *, const float *, int) { return false; }   /* another compiler under nvcc's name */
#endif
float scale(float *to, const float *from, int n) {
    if (block_size_x % 32) throw std::invalid_argument("no whole warps");
    const auto begin = std::chrono::steady_clock::now();
    if (!on_device(to, from, n))
        for (int at = 0; at < n; at++) to[at] = FACTOR * from[at];
    return std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - begin).count();
}
""")
n = 5000
x = np.random.default_rng(11).random(n, np.float32)
into = np.zeros(n, np.float32)
results, env = tune_kernel("scale", ["host.cu", "device.cu"], n, [into, x, np.int32(n)], {"block_size_x": [64, 128], "FACTOR": [3]}, lang="C",
                           answer=[3 * x, None, None], compiler_options=["-O2"], iterations=3, quiet=True)
assert len(results) == 2 and all(0 < r["time"] < 1e4 and len(r["times"]) == 3 for r in results)
if os.environ.get("TUNER", "kernel_tuner") != "kernel_tuner":      # theirs ends, or ends Python, where a function throws
    results, env = tune_kernel("scale", ["host.cu", "device.cu"], n, [into, x, np.int32(n)], {"block_size_x": [100, 128], "FACTOR": [3]}, lang="C", quiet=True)
    assert [r["block_size_x"] for r in results] == [128]
    assert not into.any()
print("h1 ok")
