# SPDX-License-Identifier: MIT
"""The cache file: its name, its form, and that a second run builds only what is new."""
import os
try:
    exec("from %s import tune_kernel, run_kernel" % os.environ.get("TUNER", "kernel_tuner"))
except ImportError as missing:
    raise SystemExit("no tuner: %s" % missing)
import json, tempfile, warnings
import numpy as np

warnings.simplefilter("ignore")
os.chdir(tempfile.mkdtemp())
TEXT = "float hop(float *o) { o[0] += 1; return stride + 0.25f * block_size_x; }"
o = np.zeros(1, np.float32)

def go(strides, size=64, **more):
    return tune_kernel("hop", TEXT, size, [o], {"stride": strides, "block_size_x": [8, 16]},
                       lang="C", cache="kept_here", quiet=True, **more)[0]

first = go([3, 1])
assert os.path.exists("kept_here.json")                          # the ending is added
kept = json.load(open("kept_here.json"))
assert kept["kernel_name"] == "hop" and kept["problem_size"] == 64
assert kept["tune_params_keys"] == ["stride", "block_size_x"]
assert kept["tune_params"] == {"stride": [3, 1], "block_size_x": [8, 16]}
assert list(kept["cache"]) == ["3,8", "3,16", "1,8", "1,16"]
assert kept["cache"]["1,16"]["time"] == 5.0 and kept["cache"]["1,16"]["stride"] == 1
second = go([3, 1, 2], metrics={"half": "time / 2"})             # one more value, and a metric
assert len(second) == 6
for r in second:
    assert (r["compile_time"] == 0) == (r["stride"] != 2), r     # only the new ones were built
    assert r["half"] == r["time"] / 2                            # metrics also for remembered ones
assert len(json.load(open("kept_here.json"))["cache"]) == 6
for wrong in (dict(strides=[3, 1], size=65),):                   # another problem is refused by name
    try:
        go(**wrong)
    except ValueError as told:
        assert "problem_size" in str(told).lower().replace(" ", "_")
    else:
        raise AssertionError("a cache of another problem was taken")
# a file cut off in the middle of a run is continued
text = open("kept_here.json").read().rstrip()
if text.endswith("}"):
    text = text[:-1].rstrip()[:-1] + ","
open("kept_here.json", "w").write(text)
third = go([3, 1, 2])
assert all(r["compile_time"] == 0 for r in third) and json.load(open("kept_here.json"))
print("c7 ok", len(third))
