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


def environment(language: str, folder: Path) -> dict[str, str]:
    """What a script runs in; for CUDA on a machine without, the driver and the compiler that TUNEKIT_EMULATED_CUDA names."""
    emulated = os.environ.get("TUNEKIT_EMULATED_CUDA", "")
    if language == "CUDA" and Path(emulated).is_file():
        folder.mkdir()
        for name in ("libcuda.so.1", "libnvrtc.so", "libnvrtc.so.12", "libnvrtc.so.13"):
            (folder / name).symlink_to(emulated)
        return {**os.environ, "TUNER": "pytunekit", "LD_LIBRARY_PATH": str(folder)}
    try:
        _core.find_kernel_device(language, 0)
    except NoDevice as e:
        pytest.skip(str(e))
    return {**os.environ, "TUNER": "pytunekit"}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_runs_with_one_import_changed(script: Path, tmp_path: Path) -> None:
    around = environment(LANGUAGES[script.name[0]], tmp_path / "drivers")
    (tmp_path / "here").mkdir()
    done = subprocess.run([sys.executable, script], cwd=tmp_path / "here", env=around, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{script.stem[:2]} ok" in done.stdout and done.stderr == ""
