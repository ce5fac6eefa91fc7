# SPDX-License-Identifier: MIT
"""What importing the package loads: it is to take 20 ms, so nothing large comes with it. And what it is called."""

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytunekit


def test_importing_loads_nothing_large() -> None:
    large = ("numpy", "pandas", "inspect", "typing", "dataclasses", "ctypes", "multiprocessing", "concurrent", "re")
    program = f"import sys, pytunekit; print([m for m in {large} if m in sys.modules])"
    where = {"PYTHONPATH": str(Path(pytunekit.__file__).parents[1])}  # -S: what a site loads is not ours
    done = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, text=True, check=True, env=where)
    assert done.stdout.strip() == "[]"


def test_package_module_and_error_have_one_name() -> None:
    assert importlib.metadata.version("pytunekit") == pytunekit.__version__
    assert pytunekit.Error.__module__ == "pytunekit"  # by which pickles find it
