# SPDX-License-Identifier: MIT
"""What importing the package loads: it is to take 20 ms, so nothing large comes with it."""

import subprocess
import sys


def test_importing_loads_nothing_large() -> None:
    program = "import sys, tunekit; print([m for m in ('numpy', 'pandas', 'inspect', 'typing', 'dataclasses', 'ctypes', 'multiprocessing', 're') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
