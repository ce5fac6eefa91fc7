# SPDX-License-Identifier: MIT
"""OpenCL: the deliberate slow ones lose, capitals as block sizes, unchanged input, too large blocks."""
import os
try:
    exec("from %s import tune_kernel, run_kernel" % os.environ.get("TUNER", "kernel_tuner"))
except ImportError as missing:
    raise SystemExit("no tuner: %s" % missing)
import warnings
import numpy as np

warnings.simplefilter("ignore")
TEXT = """
__kernel void crawl(__global float *to, __global const float *from, const int n) {
    int at = get_group_id(0) * BLOCK_SIZE_X + get_local_id(0);
    if (at < n) {
        float v = from[at];
        for (int turn = 0; turn < drag * 400; turn++) v = v * 0.5f + from[at] * 0.5f;
        to[at] = v;
    }
}
"""
n = 4096
start = np.arange(n, dtype=np.float32)
into = np.full(n, -1, np.float32)
space = {"drag": [40, 1, 20], "BLOCK_SIZE_X": [32, 128]}
answer = [start.copy(), None, None]
results, env = tune_kernel("crawl", TEXT, n, [into, start, np.int32(n)], space, lang="OpenCL",
                           answer=answer, atol=1e-2, iterations=5, quiet=True,
                           metrics={"per_us": lambda p: n / (p["time"] * 1e3)})
assert len(results) == 6
assert env["best_config"]["drag"] == 1, env["best_config"]
slow = np.mean([r["time"] for r in results if r["drag"] == 40])
fast = np.mean([r["time"] for r in results if r["drag"] == 1])
assert slow > 5 * fast > 0
for r in results:
    assert len(r["times"]) == 5
    assert sum(r["times"]) <= r["benchmark_time"] * 1.5 + 1        # both in milliseconds
    assert abs(r["per_us"] * r["time"] * 1e3 - n) < 1e-3 * n
assert np.all(into == -1), "the caller's output array was written"
assert np.array_equal(start, answer[0])
assert isinstance(env["device_name"], str) and env["device_name"]
# a block that the device cannot run, named by the user: kept apart, never the best
big = {"drag": [1], "team": [64, 1 << 22]}
text = TEXT.replace("BLOCK_SIZE_X", "team")
results, env = tune_kernel("crawl", text, n, [into, start, np.int32(n)], big, lang="OpenCL",
                           block_size_names=["team"], answer=answer, atol=1e-2, quiet=True)
assert env["best_config"]["team"] == 64
assert [r["team"] for r in results if isinstance(r.get("time"), float)] == [64]
print("o2 ok", round(float(slow / fast), 1))
