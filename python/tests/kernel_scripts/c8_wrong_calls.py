# SPDX-License-Identifier: MIT
"""Wrong calls: which kind of error a script can rely on, and that most are told before anything runs."""
import os
try:
    exec("from %s import tune_kernel, run_kernel" % os.environ.get("TUNER", "kernel_tuner"))
except ImportError as missing:
    raise SystemExit("no tuner: %s" % missing)
import warnings
import numpy as np

warnings.simplefilter("ignore")
TEXT = "float tick(int *count, float by, int n) { count[0] += n; return by * pace; }"
count = np.zeros(1, np.int32)
GOOD = dict(kernel_name="tick", kernel_source=TEXT, problem_size=1, tune_params={"pace": [1, 2]}, lang="C", quiet=True,
            arguments=[count, np.float32(2), np.int32(1)])

def expect(kinds, **change):
    try:
        tune_kernel(**dict(GOOD, **change))
    except kinds as told:
        assert str(told), "an error without a word"
        return str(told)
    raise AssertionError("accepted: %r" % (change,))

expect(TypeError, arguments=[count, 2.0, np.int32(1)])            # plain Python numbers have no width
expect(TypeError, arguments=[count, np.float32(2), 1])
expect(TypeError, arguments=[[0], np.float32(2), np.int32(1)])    # a list is not an array
expect(TypeError, problem_size=1.5)
expect(TypeError, kernel_source=lambda cfg: TEXT, lang=None)      # a generator needs lang
expect(FileNotFoundError, kernel_source="not_here.c")
expect(ValueError, tune_params={"pace": [1], "time": [3]})        # names that results need
expect(ValueError, tune_params={"pace": [1], "grid_size_x": [3]})
assert "m" in expect(ValueError, metrics={"m": "time"}, objective="m")   # no direction known for it
expect(ValueError, block_size_names=["a", "b", "c", "d"])
expect(Exception, grid_div_x=["no_such_parameter"])
expect(Exception, restrictions=["pace > 2"])                      # nothing left
expect(Exception, kernel_name="tock")
expect(ValueError, strategy="random_sample", strategy_options={"no_such_option": 1})
assert count[0] == 0, "a refused call ran the kernel %d times" % count[0]
expect(ValueError, metrics=[("m", "time")])                       # (theirs tells after the first run)
expect((TypeError, ValueError), answer=[np.zeros(1, np.int32)])   # one answer for three arguments
expect((TypeError, ValueError), answer=[np.zeros(2, np.int32), None, None])
print("c8 ok")
