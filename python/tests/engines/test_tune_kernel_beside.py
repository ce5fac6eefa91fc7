# SPDX-License-Identifier: MIT
"""The same scripts with Kernel Tuner and with pytunekit: the same configurations, columns and winners."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("kernel_tuner")

SCRIPTS = sorted((Path(__file__).parents[1] / "kernel_scripts").glob("c*.py"))
SAME_OUTPUT = ("c1_cost_returned", "c3_restrict_forms", "c4_files_macros", "c7_cache_twice", "c8_wrong_calls")

PROBLEM = """
import importlib, json, os, sys, warnings
import numpy as np
warnings.simplefilter("ignore")
tuner = importlib.import_module(os.environ["TUNER"])
text = "float f(float *o, int n) { o[0] = n; return 1000.0f / (tile * unroll) + 3 * tile + (fast ? 0 : 7); }"
space = {"tile": [1, 2, 4, 8, 16], "unroll": [1, 2, 4], "fast": [1, 0], "block_size_x": [32, 2048]}
results, env = tuner.tune_kernel(
    "f", text, 4096, [np.zeros(1, np.float32), np.int32(3)], space, restrictions=["tile * unroll <= 32", "fast or tile > 1"], lang="C", iterations=3,
    answer=[np.full(1, 3, np.float32), None], metrics={"GB/s": "1 / time"}, objective="GB/s", quiet=True)
from importlib import import_module
best = import_module(os.environ["TUNER"] + ".util").get_best_config(results, "time")
print(json.dumps([[[r[p] for p in space] for r in results], list(results[0]), [r["time"] for r in results], {p: env["best_config"][p] for p in space}, {p: best[p] for p in space}]))
"""


def run(program: list[str], tuner: str, folder: Path) -> str:
    done = subprocess.run([sys.executable, *program], cwd=folder, env={**os.environ, "TUNER": tuner}, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_configurations_columns_and_winners_are_the_same(tmp_path: Path) -> None:
    theirs, ours = (json.loads(run(["-c", PROBLEM], tuner, tmp_path).splitlines()[-1]) for tuner in ("kernel_tuner", "pytunekit"))
    assert theirs == ours


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_says_the_same_with_both(script: Path, tmp_path: Path) -> None:
    said: dict[str, Any] = {}
    for tuner in ("kernel_tuner", "pytunekit"):
        (tmp_path / tuner).mkdir()
        said[tuner] = run([str(script)], tuner, tmp_path / tuner).splitlines()[-1]
    assert script.stem not in SAME_OUTPUT or said["kernel_tuner"] == said["pytunekit"]
