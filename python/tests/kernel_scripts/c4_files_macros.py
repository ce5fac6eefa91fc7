# SPDX-License-Identifier: MIT
"""Source in files: a list, an include folder, the tuner's own macros, and what holds without block sizes."""
import os
try:
    exec("from %s import tune_kernel, run_kernel" % os.environ.get("TUNER", "kernel_tuner"))
except ImportError as missing:
    raise SystemExit("no tuner: %s" % missing)
import pathlib, tempfile, warnings
import numpy as np

warnings.simplefilter("ignore")
os.chdir(tempfile.mkdtemp())
pathlib.Path("inc").mkdir()
pathlib.Path("inc/limits_own.h").write_text("#define CEILING 77\n")
pathlib.Path("parts").mkdir()
pathlib.Path("parts/second.c").write_text("static float second(float v) { return v * gain + CEILING; }\n")
pathlib.Path("first.c").write_text("""
#include "limits_own.h"
#include "parts/second.c"
#ifndef kernel_tuner
#define gain 1000
#error the tuner defines kernel_tuner as 1 so that defaults stay out
#endif
float first(float *seen, const float *in) {
    seen[0] = second(in[0]);
    seen[1] = grid_size_x; seen[2] = grid_size_y; seen[3] = grid_size_z;
    seen[4] = block_size_x; seen[5] = block_size_y; seen[6] = block_size_z;
    seen[7] = kernel_tuner;
    return gain;
}
""")
seen, one = np.zeros(8, np.float32), np.ones(1, np.float32)
call = dict(lang="C", compiler_options=["-I" + os.path.join(os.getcwd(), "inc"), "-O1"], quiet=True)
got = run_kernel("first", ["first.c", "parts/second.c"], (1000, 6), [seen, one], {"gain": 3}, **call)[0]
assert got[0] == 3 + 77
# no block sizes among the parameters: the block is (256, 1, 1) but the grid is not divided
assert list(got[1:4]) == [1000, 6, 1] and list(got[4:7]) == [256, 1, 1] and got[7] == 1, got
got = run_kernel("first", ["first.c", "parts/second.c"], (1000, 6), [seen, one],
                 {"gain": 3, "block_size_x": 64, "block_size_y": 4}, **call)[0]
assert list(got[1:7]) == [16, 2, 1, 64, 4, 1], got               # rounded up
results, env = tune_kernel("first", ["first.c", "parts/second.c"], "gain * 100", [seen, one],
                           {"gain": [5, 2], "block_size_x": [50]}, **call)
assert [r["time"] for r in results] == [5.0, 2.0] and env["best_config"]["gain"] == 2
left = [f for f in os.listdir(".") if f not in ("inc", "parts", "first.c")]
assert not left, left                                            # nothing is left in the user's folder
print("c4 ok", list(map(int, got)))
