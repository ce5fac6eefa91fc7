# SPDX-License-Identifier: MIT
"""What importing the package loads: it is to take 20 ms, so nothing large comes with it."""

import subprocess
import sys
from pathlib import Path

import tunekit


def test_importing_loads_nothing_large() -> None:
    large = ("numpy", "pandas", "inspect", "typing", "dataclasses", "ctypes", "multiprocessing", "concurrent", "re")
    program = f"import sys, tunekit; print([m for m in {large} if m in sys.modules])"
    where = {"PYTHONPATH": str(Path(tunekit.__file__).parents[1])}  # -S: what a site loads is not ours
    done = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, text=True, check=True, env=where)
    assert done.stdout.strip() == "[]"
