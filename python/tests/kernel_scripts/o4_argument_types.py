# SPDX-License-Identifier: MIT
"""OpenCL: records by bytes, complex, half, 2-D arrays, a text of the configuration; odd types only warn."""
import os
try:
    exec("from %s import tune_kernel, run_kernel" % os.environ.get("TUNER", "kernel_tuner"))
except ImportError as missing:
    raise SystemExit("no tuner: %s" % missing)
import warnings
import numpy as np

warnings.simplefilter("ignore")

def make(cfg):
    line = "out[at] += rec[at].w * z[at].%s + vload_half(at, h) + flag + WEIGHT;" % ("x" if cfg["part"] == "re" else "y")
    return """
    typedef struct { float w; int tag; } rec_t;
    __kernel void blend(__global double *out, __global const rec_t *rec, __global const float2 *z,
                        __global const half *h, uchar flag, long n) {
        for (int at = get_global_id(0); at < n; at += get_global_size(0)) { %s }
    }""" % (line * cfg["times_over"])

n = 96
rng = np.random.default_rng(8)
rec = np.zeros(n, dtype=[("w", np.float32), ("tag", np.int32)])
rec["w"] = rng.integers(1, 9, n)
z = (rng.integers(1, 9, n) + 1j * rng.integers(1, 9, n)).astype(np.complex64)
h = rng.integers(0, 5, n).astype(np.float16)
out = np.full((8, 12), 10.0)                                      # added to: must be fresh for each comparison
fixed = [np.uint8(1), np.int64(n)]

def expected(part, over):
    return 10 + over * (rec["w"] * (z.real if part == "re" else z.imag) + h.astype(np.float64) + 1 + 0.5)

for carrier in (rec, rec.view(np.uint8)):                         # a structured array, or its bytes
    got = run_kernel("blend", make, n, [out, carrier, z, h] + fixed, dict(part="im", times_over=2, block_size_x=8),
                     lang="OpenCL", compiler_options=["-DWEIGHT=0.5"], quiet=True)
    assert got[0].shape == (8, 12) and np.allclose(got[0].ravel(), expected("im", 2))
    assert got[4] == 1 and got[5] == n and np.all(out == 10)
    results, env = tune_kernel("blend", make, n, [out, carrier, z, h] + fixed,
                               {"part": ["re"], "times_over": [1], "block_size_x": [8, 16, 32]},
                               lang="OpenCL", compiler_options=["-DWEIGHT=0.5"], quiet=True,
                               answer=[expected("re", 1)] + [None] * 5)
    assert len(results) == 3 and env["best_config"]["part"] == "re"
print("o4 ok", len(results))
