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
        _core.find_kernel_device(language, [0])
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


SENSED = """
import json
import numpy as np
from pytunekit import tune_kernel
text = "__global__ void twice(float *y, const float *x, int n) { int i = blockIdx.x * block_size_x + threadIdx.x; if (i < n) y[i] = 2 * x[i]; }"
n = 500
call = dict(answer=[np.full(n, 2, np.float32), None, None], iterations=2, quiet=True)
args = [np.zeros(n, np.float32), np.ones(n, np.float32), np.int32(n)]
results, env = tune_kernel("twice", text, n, args, {"block_size_x": [32, 64]}, objective="nvml_energy", cache="kept",
                           metrics={"per_clock": "num_regs / core_freq", "W": lambda p: p["nvml_power"], "hot": lambda p: max(p[k] for k in ("temperature",))}, **call)
for r in results:
    assert r["per_clock"] == r["num_regs"] / r["core_freq"] and r["W"] == r["nvml_power"] > 0 and r["nvml_energy"] > 0 and r["num_regs"] >= 1
    assert "mem_freq" not in r                                # which nothing names
assert env["best_config"]["nvml_energy"] == min(r["nvml_energy"] for r in results)
again, _ = tune_kernel("twice", text, n, args, {"block_size_x": [32, 64]}, objective="nvml_energy", cache="kept", metrics={"mem": "mem_freq"}, **call)
assert all(r["compile_time"] > 0 and r["mem"] > 0 for r in again)   # what the cache does not have is read
plain, _ = tune_kernel("twice", text, n, args, {"block_size_x": [32]}, **call)
assert "num_regs" not in plain[0]
json.dumps([results, env])
print("ok")
"""


def test_metrics_and_the_objective_may_name_what_the_device_tells(tmp_path: Path) -> None:
    around = environment("CUDA", tmp_path / "drivers")
    done = subprocess.run([sys.executable, "-c", SENSED], cwd=tmp_path, env=around, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0 and done.stdout == "ok\n", done.stdout + done.stderr


TWO = """
import numpy as np
from pytunekit import Error, NoDevice, run_kernel, tune_kernel
text = "__global__ void twice(float *y, const float *x, int n) { int i = blockIdx.x * block_size_x + threadIdx.x; if (i < n) y[i] = 2 * x[i]; }"
n = 500
args = [np.zeros(n, np.float32), np.ones(n, np.float32), np.int32(n)]
call = ["twice", text, n, args, {"block_size_x": [8, 16, 32, 64, 96, 128]}]
how = dict(answer=[np.full(n, 2, np.float32), None, None], iterations=2, metrics={"regs": "num_regs"}, log_file="run.jsonl", seed=1, compilers=2)
results, env = found = tune_kernel(*call, device=[0, np.int64(1)], trials=4, **how)
assert {r["regs"] for r in results} == {24, 25}, results   # the emulated devices' own
assert len(results) == 4 and env["device_name"] == "Emulated Device"
more = tune_kernel(*call, device=[0, 1], trials=6, resume=True, **how)
assert len(more.trials) == 6 and len(more[0]) == 2
for device, error, why in (
    ([0, 2], NoDevice, "no CUDA device 2: want 0 to 1"), ([1, 1], Error, "device 1 twice, want each once"),
):
    try:
        tune_kernel(*call, device=device, quiet=True)
    except error as e:
        assert why in str(e) and "\\n" not in str(e), e
    else:
        raise AssertionError(device)
try:
    run_kernel(*call[:4], {"block_size_x": 8}, device=[0, 1])
except Error as e:
    assert "run_kernel launches once" in str(e)
assert run_kernel(*call[:4], {"block_size_x": 8}, device=[1])[0][n - 1] == 2
"""


def test_several_equal_devices_run_a_configuration_each(tmp_path: Path) -> None:
    emulated = environment("CUDA", tmp_path / "drivers")
    if "LD_LIBRARY_PATH" not in emulated or not (tmp_path / "drivers").exists():
        pytest.skip("there is a CUDA device, and of the emulated one the number is known")
    around = {**emulated, "TUNEKIT_EMULATED_DEVICES": "Emulated Device,Emulated Device", "TUNEKIT_EMULATED_USED": "1"}
    done = subprocess.run([sys.executable, "-c", TWO], cwd=tmp_path, env=around, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr.count("tunekit: device 1 is used by process 4242, too: its times may be longer\n") == 3  # of the calls on it that are not quiet
    unequal = {**around, "TUNEKIT_EMULATED_DEVICES": "Emulated Device,Other Device"}
    done = subprocess.run([sys.executable, "-c", TWO], cwd=tmp_path, env=unequal, capture_output=True, text=True, timeout=500)
    last = done.stderr.splitlines()[-1]
    assert "device 0 is Emulated Device (" in last and "and 1 is Other Device (" in last and last.endswith("want equal ones")
