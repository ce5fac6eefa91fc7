# SPDX-License-Identifier: MIT
"""minimize with mpi4py.futures, and the generator within libEnsemble, under a real mpiexec."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def mpiexec(n: int, *words: str, at: Path) -> str:
    """What a program says that n ranks run."""
    launcher = Path(sys.executable).with_name("mpiexec")
    environment = os.environ | {"PYTHONPATH": f"{HERE}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    done = subprocess.run(
        [str(launcher) if launcher.exists() else "mpiexec", "-n", str(n), sys.executable, *words],
        capture_output=True, text=True, env=environment, cwd=at, timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_mpi4py_futures(tmp_path: Path) -> None:
    said = mpiexec(3, "-m", "mpi4py.futures", str(HERE / "over_mpi.py"), at=tmp_path)
    assert said.strip() == "{'tile': 8, 'unroll': 2} of 40 by 2 workers"


@pytest.mark.parametrize("comms", ["local", "mpi"])
def test_libensemble(comms: str, tmp_path: Path) -> None:
    words = [str(HERE / "in_libensemble.py"), "--comms", comms]
    if comms == "local":
        environment = os.environ | {"PYTHONPATH": f"{HERE}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
        done = subprocess.run(
            [sys.executable, *words, "--nworkers", "3"], capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=300
        )
        assert done.returncode == 0, done.stdout + done.stderr
        said = done.stdout
    else:
        said = mpiexec(4, *words, at=tmp_path)
    assert "best 1.0 at tile 8, unroll 2 of 40" in said
