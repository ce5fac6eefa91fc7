# SPDX-License-Identifier: MIT
"""The programs of docs/python_engines.md, each with its engine, and under a real mpiexec."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import test_kernel_tuner

sys.path.insert(0, str(Path(__file__).parents[1]))
from pages import listings  # noqa: E402

PROGRAMS = {word: code for code in listings("docs/python_engines.md") for word in re.findall(r"^(?:from|import) (\w+)", code)[:1]}


def said_by(program: str, before: list[str], after: list[str], at: Path) -> str:
    """What a listing says as a program of its own."""
    (at / "run.py").write_text(PROGRAMS[program])
    done = subprocess.run([*before, "run.py", *after], capture_output=True, text=True, cwd=at, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def promised_by(program: str) -> str:
    return re.findall(r"print\(.*\)   # (.*)", PROGRAMS[program])[0] + "\n"


def ranks(n: int) -> list[str]:
    launcher = Path(sys.executable).with_name("mpiexec")
    return [str(launcher) if launcher.exists() else "mpiexec", "-n", str(n)]


def test_the_page_has_a_program_for_each_engine() -> None:
    assert sorted(PROGRAMS) == ["dask", "gest_api", "kernel_tuner", "mpi4py", "optuna", "parsl", "ray"]


@pytest.mark.parametrize("engine", ["dask", "parsl"])
def test_executors(engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)  # Parsl starts a program of its own
    assert said_by(engine, [sys.executable], [], tmp_path) == promised_by(engine)


def test_executorlib_in_the_place_of_parsl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    imports, block = "from executorlib import SingleNodeExecutor\n", "    with SingleNodeExecutor(max_workers=2) as executor:\n"
    page = (Path(__file__).parents[3] / "docs/python_engines.md").read_text()
    assert all(f"`{words.strip()}`" in page for words in (imports, block))
    program = re.sub(r"(?m)^from parsl.*\n", "", PROGRAMS["parsl"]).replace(", workers=2", "")
    program = re.sub(r"(?m)^    nodes = .*\n    with .*\n", block, program)
    monkeypatch.setitem(PROGRAMS, "parsl", imports + program)
    assert said_by("parsl", [sys.executable], [], tmp_path) == promised_by("parsl")


def test_ray(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray")
    program = PROGRAMS["ray"] + """
from pytunekit import Space, minimize

def bowl(tile, unroll):
    return 1 + abs(tile - 8) + abs(unroll - 2) / 8

ray.init(num_cpus=2, include_dashboard=False)
found = minimize(bowl, Space({"tile": range(1, 33), "unroll": [1, 2, 4, 8]}), trials=40, seed=1, executor=RayExecutor())
print(found.best, len(found.trials))   # {'tile': 8, 'unroll': 2} 40
"""
    monkeypatch.setitem(PROGRAMS, "ray", program)
    assert said_by("ray", [sys.executable], [], tmp_path).endswith(promised_by("ray"))


def test_mpi4py(tmp_path: Path) -> None:
    assert said_by("mpi4py", [*ranks(3), sys.executable, "-m", "mpi4py.futures"], [], tmp_path) == promised_by("mpi4py")


@pytest.mark.parametrize("comms", ["local", "mpi"])
def test_libensemble(comms: str, tmp_path: Path) -> None:
    before, after = (ranks(4), ["--comms", "mpi"]) if comms == "mpi" else ([], ["--comms", "local", "--nworkers", "3"])
    assert said_by("gest_api", [*before, sys.executable], after, tmp_path).endswith(promised_by("gest_api"))


def test_kernel_tuner_in_simulation(tmp_path: Path) -> None:
    parameters = {"block_size_x": [16, 32, 64, 128, 256], "tile": [1, 2, 4, 8]}
    test_kernel_tuner.record(tmp_path / "cache.json", parameters, lambda x, tile: x * tile <= 512)
    assert said_by("kernel_tuner", [sys.executable], [], tmp_path).endswith(promised_by("kernel_tuner"))


def test_optuna(tmp_path: Path) -> None:
    assert said_by("optuna", [sys.executable], [], tmp_path) == promised_by("optuna")
