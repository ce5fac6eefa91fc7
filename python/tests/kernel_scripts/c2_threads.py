# SPDX-License-Identifier: MIT
"""OpenMP in C, language found from the text, two outputs compared, answer of another shape."""
import os
try:
    exec("from %s import tune_kernel, run_kernel" % os.environ.get("TUNER", "kernel_tuner"))
except ImportError as missing:
    raise SystemExit("no tuner: %s" % missing)
import warnings
import numpy as np

TEXT = r"""
#include <omp.h>
float rows(float *sums, int *argmax, const float *field, int tall, int wide) {
    double begin = omp_get_wtime();
    #pragma omp parallel for num_threads(crew) schedule(SCHED)
    for (int y = 0; y < tall; y++) {
        float sum = 0; int top = 0;
        for (int x = 0; x < wide; x++) {
            float v = field[y * wide + x];
            sum += v;
            if (v > field[y * wide + top]) top = x;
        }
        sums[y] = sum; argmax[y] = top;
    }
    return (float)((omp_get_wtime() - begin) * 1e3);
}
"""
rng = np.random.default_rng(5)
tall, wide = np.int32(300), np.int32(200)
field = rng.random((300, 200), dtype=np.float32)
sums, top = np.zeros(300, np.float32), np.zeros(300, np.int32)
args = (sums, top, field, tall, wide)                            # a tuple is fine
answer = [field.sum(axis=1, dtype=np.float32).reshape(15, 20), field.argmax(axis=1).astype(np.int32), None, None, None]
space = {"crew": [1, 2], "SCHED": ["static", "dynamic", "guided"]}
with warnings.catch_warnings():
    warnings.simplefilter("ignore")                              # no block sizes: only a warning
    results, env = tune_kernel("rows", TEXT, (200, 300), args, space, answer=answer, atol=1e-3,
                               compiler_options=["-fopenmp", "-O2"], quiet=True)
assert len(results) == 6 and all(r["time"] > 0 and len(r["times"]) == 7 for r in results)
assert {r["SCHED"] for r in results} == {"static", "dynamic", "guided"}
assert all(r["verification_time"] > 0 for r in results)          # each was compared
assert env["best_config"]["time"] == min(r["time"] for r in results)
table = sorted(results, key=lambda r: r["time"])
assert table[0]["time"] <= table[-1]["time"]
print("c2 ok", [(r["crew"], r["SCHED"], round(float(r["time"]), 4)) for r in table[:2]])
