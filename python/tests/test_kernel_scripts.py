# SPDX-License-Identifier: MIT
"""Scripts as users of Kernel Tuner write them, each valid there, run with pytunekit in its place."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest

from pytunekit import NoDevice, _core

SCRIPTS = sorted((Path(__file__).parent / "kernel_scripts").glob("*.py"))
LANGUAGES = {"c": "C", "h": "C", "o": "OpenCL", "u": "CUDA"}

# What host code of CUDA is built with where there is no nvcc: its options for C++, without those that nvcc alone has.
NVCC = """#!/bin/sh
for word; do shift; case $word in -Xcompiler | cu) ;; -x) ;; *) set -- "$@" "$word" ;; esac; done
exec c++ "$@"
"""


def environment(language: str, folder: Path) -> dict[str, str]:
    """What a script runs in. Where there is no CUDA device, TUNEKIT_EMULATED_CUDA names a driver and compiler without one: run.sh builds it."""
    around = {**os.environ, "TUNER": "pytunekit"}
    try:
        _core.find_kernel_device(language, 0)
    except NoDevice as e:
        emulated = os.environ.get("TUNEKIT_EMULATED_CUDA", "")
        if language != "CUDA" or not emulated:
            pytest.skip(str(e))
        assert Path(emulated).is_file(), f"there is no {emulated}"
        folder.mkdir()
        for name in ("libcuda.so.1", "libnvrtc.so", "libnvrtc.so.12", "libnvrtc.so.13", "libnvidia-ml.so.1"):
            (folder / name).symlink_to(emulated)
        around["LD_LIBRARY_PATH"] = str(folder)
    return around


def with_nvcc(around: dict[str, str], folder: Path) -> dict[str, str]:
    """The same with a program of nvcc's name in PATH."""
    if which("nvcc"):
        return around
    folder.mkdir()
    (folder / "nvcc").write_text(NVCC)
    (folder / "nvcc").chmod(0o755)
    return {**around, "PATH": f"{folder}{os.pathsep}{around['PATH']}"}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_runs_with_one_import_changed(script: Path, tmp_path: Path) -> None:
    around = environment(LANGUAGES[script.name[0]], tmp_path / "drivers")
    around = with_nvcc(around, tmp_path / "bin") if script.name[0] == "h" else around
    (tmp_path / "here").mkdir()
    done = subprocess.run([sys.executable, script], cwd=tmp_path / "here", env=around, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{script.stem[:2]} ok" in done.stdout and done.stderr == ""
