# SPDX-License-Identifier: MIT
"""What C++ does with the same seed, costs and logs. same_proposals.cpp is the program, TUNEKIT_SAME_PROPOSALS where it lies."""

import csv
import gzip
import os
import subprocess
from pathlib import Path

import pytest
from spaces import SPACE, cost_of

from pytunekit import Error, Failed, Space, Tuner

PROGRAM = os.environ.get("TUNEKIT_SAME_PROPOSALS", "")
REPORT = os.environ.get("TUNEKIT_TUNE_REPORT", "")
RECORDINGS = Path(__file__).parents[2] / "packages/scoring/recordings"
needs_program = pytest.mark.skipif(not PROGRAM, reason="TUNEKIT_SAME_PROPOSALS names no program")


def printed(*arguments: object) -> list[int]:
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=True)
    return [int(line) for line in done.stdout.split()]


def drive(tuner: Tuner, at_most: int | None = None) -> list[int]:
    proposed: list[int] = []
    while len(proposed) != at_most and (job := tuner.ask()) is not None:
        proposed.append(job.index)
        tuner.tell(job, cost_of(job.index))
    return proposed


@needs_program
@pytest.mark.parametrize("seed", [0, 7])
def test_same_seed_and_costs_give_the_same_proposals(seed: int) -> None:
    proposed = drive(Tuner(SPACE, trials=60, seed=seed))
    assert len(proposed) == 60
    assert proposed == printed("propose", seed, 60)


@needs_program
def test_cpp_resumes_a_log_of_python(tmp_path: Path) -> None:
    log = tmp_path / "run.jsonl"
    first = drive(Tuner(SPACE, trials=40, seed=3, log=log), at_most=25)
    assert len(first) == 25
    whole = printed("resume", log, 3, 40)
    assert whole[:25] == first
    assert whole == printed("propose", 3, 40)


@needs_program
def test_python_resumes_a_log_of_cpp(tmp_path: Path) -> None:
    log = tmp_path / "run.jsonl"
    first = printed("resume", log, 3, 20)
    tuner = Tuner(SPACE, trials=40, seed=3, log=log, resume=True)
    assert len(drive(tuner)) == 20
    assert [t.index for t in tuner.trials][:20] == first
    assert [t.index for t in tuner.trials] == printed("propose", 3, 40)


@needs_program
def test_a_log_of_another_seed_is_refused(tmp_path: Path) -> None:
    log = tmp_path / "run.jsonl"
    printed("resume", log, 3, 5)
    with pytest.raises(Error, match="was written with seed 3, not 4"):
        Tuner(SPACE, trials=40, seed=4, log=log, resume=True).ask()


@needs_program
@pytest.mark.parametrize("name", ["gemm_Out", "conv2d_S12"])
def test_a_recorded_space_gives_the_curve_of_cpp_to_the_digit(name: str) -> None:
    stem = RECORDINGS / name
    parameters: dict[str, list[int]] = {}
    constraints: list[str] = []
    for line in stem.with_suffix(".params").read_text().splitlines():
        what, _, said = line.partition(" ")
        if what == "param":
            parameter, *values = said.split()
            parameters[parameter] = [int(v) for v in values]
        elif what == "constraint":
            constraints.append(said)
    space = Space(parameters, constraints)
    with gzip.open(stem.with_suffix(".csv.gz"), "rt") as file:
        rows = {space.index({p: int(row[p]) for p in parameters}): row for row in csv.DictReader(file)}
    assert len(rows) == len(space)
    tuner = Tuner(space, trials=120, seed=11)
    curve = []
    for job in iter(tuner.ask, None):
        row = rows[job.index]
        tuner.tell(job, float(row["time_ms"]) / 1000 if row["status"] == "valid" else Failed(row["status"]))
        curve.append(tuner.best_cost)
    done = subprocess.run([PROGRAM, "recorded", stem, "11", "120"], capture_output=True, text=True, check=True)
    assert curve == [float.fromhex(line) for line in done.stdout.split()]
    assert len(set(curve)) > 2  # it has steps


@pytest.mark.skipif(not REPORT, reason="TUNEKIT_TUNE_REPORT names no program")
def test_tune_report_reads_a_log_of_python(tmp_path: Path) -> None:
    log = tmp_path / "run.jsonl"
    drive(Tuner(SPACE, trials=10, log=log, name="mine"))
    done = subprocess.run([REPORT, str(log), "--text"], capture_output=True, text=True, check=True)
    assert "mine" in done.stdout
