# SPDX-License-Identifier: MIT
"""C function that reports its own cost: what is measured, in which order, and what comes back."""
import os
try:
    exec("from %s import tune_kernel, run_kernel" % os.environ.get("TUNER", "kernel_tuner"))
except ImportError as missing:
    raise SystemExit("no tuner: %s" % missing)
import json
import numpy as np

TEXT = """
float weigh(double *sink, const double *grain, int many) {
    double sum = 0;
    for (int at = 0; at < many; at++) sum += grain[at] * scoop;
    sink[0] = sum;
    return 10.0f * scoop + lid;                 /* the cost: not a time at all */
}
"""
many = np.int32(50)
grain, sink = np.ones(50), np.zeros(1)
space = dict(scoop=[4, 1, 3], lid=[0, 5])
results, env = tune_kernel("weigh", TEXT, 50, [sink, grain, many], space, lang="C", iterations=4, quiet=True)

assert isinstance(results, list) and len(results) == 6
# every configuration, first parameter slowest, values in the order written
order = [(r["scoop"], r["lid"]) for r in results]
assert order == [(4, 0), (4, 5), (1, 0), (1, 5), (3, 0), (3, 5)], order
for r in results:
    assert list(r)[:2] == ["scoop", "lid"]
    assert r["time"] == 10 * r["scoop"] + r["lid"], r          # passed on unscaled
    assert isinstance(r["time"], float) and len(r["times"]) == 4
    assert abs(np.mean(r["times"]) - r["time"]) < 1e-6           # mean of the iterations
    for key in ("compile_time", "verification_time", "benchmark_time"):
        assert r[key] >= 0
    assert r["compile_time"] > 1.0                               # milliseconds, not seconds
best = env["best_config"]
assert (best["scoop"], best["lid"], best["time"]) == (1, 0, 10.0)
assert best is min(results, key=lambda r: r["time"]) or best == min(results, key=lambda r: r["time"])
assert env["iterations"] == 4
again = json.loads(json.dumps([results, env]))                   # both can be written as JSON
assert again[0][2]["time"] == 10.0 and again[1]["best_config"]["scoop"] == 1
print("c1 ok", order)
