# SPDX-License-Identifier: MIT
"""Scripts as users of Kernel Tuner write them, each valid there, run with pytunekit in its place."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pytunekit import NoDevice, _core

SCRIPTS = sorted((Path(__file__).parent / "kernel_scripts").glob("*.py"))
LANGUAGES = {"c": "C", "o": "OpenCL", "u": "CUDA"}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_runs_with_one_import_changed(script: Path, tmp_path: Path) -> None:
    try:
        _core.find_kernel_device(LANGUAGES[script.name[0]], 0)
    except NoDevice as e:
        pytest.skip(str(e))
    done = subprocess.run([sys.executable, script], cwd=tmp_path, env={**os.environ, "TUNER": "pytunekit"}, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{script.stem[:2]} ok" in done.stdout and done.stderr == ""
