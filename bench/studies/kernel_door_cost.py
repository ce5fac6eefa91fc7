#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""kernel_door_cost.py --tool build/.../tune_kernel [--languages C OpenCL] [--trials 20 100] [--rounds 3] [--held 1000]: what a trial costs the
processor by pytunekit.tune_kernel and by the program tune_kernel: the same kernel, space, seed, one compiler, seven launches. The CPU seconds of
a process and of all that it started, of a long run less those of a short one, per trial; in turns, the median of the rounds and their range. With
--held it also says how much memory Python had at most after so many trials in C. Prints the table of docs/studies/kernel_doors.md.

    pip install pytunekit
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile

TEXTS = {
    "C": ("scale.c", "void scale(float *y, const float *x, int n) { for (int i = 0; i < n; i++) y[i] = x[i] * 2 + 0 * (a + b); }"),
    "OpenCL": (
        "scale.cl",
        "__kernel void scale(__global float *y, __global const float *x, int n)\n{ int i = get_global_id(0); if (i < n) y[i] = x[i] * 2 + 0 * (a + b); }",
    ),
}
VALUES = list(range(1, 33))
N = 1024


def problem(language: str, file: str) -> dict[str, object]:
    """A T1 problem."""
    array = {"Type": "float", "MemoryType": "Vector", "FillType": "Constant", "FillValue": 1.0, "Size": str(N)}
    return {
        "General": {"BenchmarkName": "scale"},
        "ConfigurationSpace": {"TuningParameters": [{"Name": p, "Type": "int", "Values": str(VALUES), "Default": 1} for p in "ab"], "Conditions": []},
        "KernelSpecification": {
            "Language": language, "KernelName": "scale", "KernelFile": file, "ProblemSize": [N], "GridDivX": ["64"], "LocalSize": {"X": "64"}, "SharedMemory": 0,
            "Arguments": [
                {"Name": "y", "AccessType": "WriteOnly", **array}, {"Name": "x", "AccessType": "ReadOnly", **array},
                {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": N},
            ],
        },
    }  # fmt: skip


def python_door(language: str, file: str, trials: int, compilers: int) -> None:
    """The same in this process; says how much memory it had at most, in MB."""
    import numpy as np
    from pytunekit import tune_kernel

    x = np.ones(N, np.float32)
    results, _ = tune_kernel(
        "scale", file, N, [0 * x, x, np.int32(N)], {"a": VALUES, "b": VALUES, "block_size_x": [64]}, answer=[2 * x, None, None], lang=language, iterations=7,
        strategy="random_sample", trials=trials, seed=1, quiet=True, compilers=compilers,
    )
    assert len(results) == trials
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def cpu_seconds(command: list[str]) -> tuple[float, str]:
    """Those of a command and all that it started, also what outlived it, and its output. Its driver finds nothing that was kept before."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: what loses its parent is waited for here
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as kept:
        fresh = os.environ | {name: kept for name in ("POCL_CACHE_DIR", "XDG_CACHE_HOME", "CUPY_CACHE_DIR", "CUDA_CACHE_PATH")}
        said = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=fresh).stdout
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return float(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime), said


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", help="the program tune_kernel")
    parser.add_argument("--languages", nargs="+", choices=list(TEXTS), default=list(TEXTS))
    parser.add_argument("--trials", type=int, nargs=2, default=[20, 100], help="of a short run and a long one")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--held", type=int, default=0)
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)  # LANGUAGE FILE TRIALS COMPILERS
    given = parser.parse_args()
    if given.one:
        python_door(given.one[0], given.one[1], int(given.one[2]), int(given.one[3]))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        if given.tool:
            print("| language | CPU ms of a trial by the program | by Python | Python over program |\n|---|---|---|---|")
        for language in given.languages:
            file, text = TEXTS[language]
            with open(file, "w", encoding="utf-8") as out:
                out.write(text)
            with open("problem.json", "w", encoding="utf-8") as out:
                json.dump(problem(language, file), out)
            if not given.tool:
                continue
            ours, theirs = [], []
            short, long = given.trials
            for _ in range(given.rounds):

                def per_trial(*command: str) -> float:
                    times: list[float] = [cpu_seconds([str(n) if word == "TRIALS" else word for word in command])[0] for n in (short, long)]
                    return float(1e3 * (times[1] - times[0]) / (long - short))

                same = ["--seed", "1", "--strategy", "random", "--compilers", "1", "--iterations", "7"]
                theirs.append(per_trial(given.tool, "problem.json", *same, "--trials", "TRIALS", "--json"))
                ours.append(per_trial(sys.executable, SELF, "--one", language, file, "TRIALS", "1"))
            ratios = [a / b for a, b in zip(ours, theirs)]

            def shown(x: list[float], digits: int) -> str:
                return f"{statistics.median(x):.{digits}f} ({min(x):.{digits}f} to {max(x):.{digits}f})"

            print(f"| {language} | {shown(theirs, 1)} | {shown(ours, 1)} | {shown(ratios, 3)} |", flush=True)
        if given.held:
            file, text = TEXTS["C"]
            with open(file, "w", encoding="utf-8") as out:
                out.write(text)
            done = subprocess.run([sys.executable, SELF, "--one", "C", file, str(given.held), "2"], stdout=subprocess.PIPE, text=True, check=True)
            print(f"{given.held} trials in C: Python had {float(done.stdout):.0f} MB at most")
    return 0


SELF = os.path.abspath(__file__)

if __name__ == "__main__":
    sys.exit(main())
