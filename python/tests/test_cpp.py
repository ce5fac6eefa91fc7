# SPDX-License-Identifier: MIT
"""What C++ does with the same seed, costs and logs. same_proposals.cpp is the program, TUNEKIT_SAME_PROPOSALS where it lies."""

import os
import subprocess
from pathlib import Path

import pytest
from spaces import SPACE, cost_of

from tunekit import Error, Tuner

PROGRAM = os.environ.get("TUNEKIT_SAME_PROPOSALS", "")
REPORT = os.environ.get("TUNEKIT_TUNE_REPORT", "")
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


@pytest.mark.skipif(not REPORT, reason="TUNEKIT_TUNE_REPORT names no program")
def test_tune_report_reads_a_log_of_python(tmp_path: Path) -> None:
    log = tmp_path / "run.jsonl"
    drive(Tuner(SPACE, trials=10, log=log, name="mine"))
    done = subprocess.run([REPORT, str(log), "--text"], capture_output=True, text=True, check=True)
    assert "mine" in done.stdout
