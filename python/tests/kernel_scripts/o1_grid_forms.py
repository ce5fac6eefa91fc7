# SPDX-License-Identifier: MIT
"""OpenCL: how block sizes, the problem's size and grid divisors make the launch."""
import os
try:
    exec("from %s import tune_kernel, run_kernel" % os.environ.get("TUNER", "kernel_tuner"))
except ImportError as missing:
    raise SystemExit("no tuner: %s" % missing)
import numpy as np

TEXT = """
__kernel void probe(__global int *seen, float unused) {
    if (get_global_id(0) == 0 && get_global_id(1) == 0 && get_global_id(2) == 0) {
        for (int d = 0; d < 3; d++) { seen[d] = get_num_groups(d); seen[3 + d] = get_local_size(d); }
        seen[6] = grid_size_x; seen[7] = span;
    }
}
"""
seen = np.zeros(8, np.int32)
BASE = {"block_size_x": 16, "block_size_y": 2, "span": 3}

def launch(size, params=BASE, **more):
    got = run_kernel("probe", TEXT, size, [seen, np.float32(0)], params, lang="OpenCL", quiet=True, **more)
    assert got[0][6] == got[0][0] and got[0][7] == params["span"] and isinstance(got[1], np.float32)
    return tuple(int(v) for v in got[0][:6])

assert launch(100) == (7, 1, 1, 16, 2, 1)
assert launch((100, 5)) == (7, 3, 1, 16, 2, 1)
assert launch([100, 5, 4]) == (7, 3, 4, 16, 2, 1)
assert launch((np.int32(100), "span * 5")) == (7, 8, 1, 16, 2, 1)
assert launch(lambda p: (p["span"] * 10, 4)) == (2, 2, 1, 16, 2, 1)
assert launch("span") == (1, 1, 1, 16, 2, 1)
# divisors: several names multiply, an expression, nothing, a function, both axes
assert launch(100, grid_div_x=["block_size_x", "span"])[0] == 3
assert launch(100, grid_div_x=["block_size_x * span"])[0] == 3
assert launch(100, grid_div_x=["block_size_x/8", "span"])[0] == 17
assert launch(7, grid_div_x=[])[0] == 7
assert launch(100, grid_div_x=lambda p: p["block_size_x"] / 3)[0] == 19       # divided as floats, rounded up
assert launch(100, grid_div_x=["max(block_size_x - 100, 1)"])[0] == 100
assert launch((100, 9), grid_div_y=["span"])[:2] == (7, 3)
assert launch((64, 8), grid_div_x=[], grid_div_y=[])[:2] == (64, 8)
# other names for the block; capitals of the usual names
assert launch(100, {"bx": 8, "span": 3}, block_size_names=["bx"]) == (13, 1, 1, 8, 1, 1)
assert launch((90, 30), {"w": 10, "h": 5, "span": 3}, block_size_names=["w", "h"]) == (9, 6, 1, 10, 5, 1)
names = ["bx"]
launch(100, {"bx": 8, "span": 3}, block_size_names=names)
launch(100, {"bx": 4, "span": 3}, block_size_names=names)                     # the same list again
print("o1 ok", launch((100, 5)))
