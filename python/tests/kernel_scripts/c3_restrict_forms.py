# SPDX-License-Identifier: MIT
"""The same restriction said in five ways leaves the same configurations."""
import os
try:
    exec("from %s import tune_kernel, run_kernel" % os.environ.get("TUNER", "kernel_tuner"))
except ImportError as missing:
    raise SystemExit("no tuner: %s" % missing)
import warnings
import numpy as np

warnings.simplefilter("ignore")
TEXT = "float spread(float *out, int n) { out[0] = n; return left * 1.0f + right * 0.5f; }"
out, n = np.zeros(1, np.float32), np.int32(3)
space = {"left": [1, 2, 4, 8], "right": [0, 1, 2, 3, 4], "kind": ["thin", "thick"]}
limit = 9

def as_dict(cfg):
    return cfg["right"] != 0 and cfg["left"] % cfg["right"] == 0 and (cfg["kind"] == "thin" or cfg["left"] < limit - 4)

def as_values(*row, **named):                                     # values in the parameters' order
    left, right, kind = row
    return as_dict(dict(left=left, right=right, kind=kind))

texts = ["right != 0 and left % right == 0", f"kind == 'thin' or left < {limit} - 4"]
expect = [(l, r, k) for l in space["left"] for r in space["right"] for k in space["kind"]
          if as_dict(dict(left=l, right=r, kind=k))]
assert 0 < len(expect) < 40

def left_over(restrictions):
    results, env = tune_kernel("spread", TEXT, 1, [out, n], space, restrictions=restrictions, lang="C", quiet=True)
    assert env["best_config"]["left"] == 1 and env["best_config"]["right"] == 1
    return [(r["left"], r["right"], r["kind"]) for r in results]

for form in (texts, [texts[0] + " and (" + texts[1] + ")"], " and ".join("(%s)" % t for t in texts), as_dict, as_values):
    assert left_over(form) == expect, (form, left_over(form))
# block sizes above the device's limit (1024 for C) leave without being asked
wide = dict(space, block_size_x=[256, 1024], block_size_y=[1, 2, 8])
results, _ = tune_kernel("spread", TEXT, 1, [out, n], wide, restrictions=texts, lang="C", quiet=True)
assert len(results) == 3 * len(expect), len(results)           # 256x1, 256x2 and 1024x1
assert all(r["block_size_x"] * r["block_size_y"] <= 1024 for r in results)
print("c3 ok", len(expect))
