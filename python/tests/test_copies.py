# SPDX-License-Identifier: MIT
"""Results, trials and tuners are pickled and copied."""

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from spaces import SPACE, cost_of

from pytunekit import Error, Failed, Measurement, Space, Tuner, minimize, minimize_tasks

COPIES: list[Callable[[Any], Any]] = [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy, copy.copy]


def work(level: int, mode: str) -> Any:
    if level == 3:
        return Failed("element 5 is 0.37", kind="wrong_result")
    return Measurement(10 * level + (mode == "long"), bytes=1000 - 100 * level)


def said(trials: Any) -> list[tuple[Any, ...]]:
    return [(t.configuration, t.index, t.cost, t.failed, t.kind, pytest.approx(t.stamp), t.seconds, t.worker, repr(t.numbers)) for t in trials]


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("objective", ["", "cost where bytes <= 700"])
def test_a_result_has_its_record(copied: Callable[[Any], Any], objective: str, tmp_path: Path) -> None:
    space = Space({"level": range(1, 7), "mode": ["plain", "long"]}, constraints=["level < 6 or mode == 'plain'"])
    found = minimize(work, space, trials=9, numbers=["bytes"], objective=objective, name="two", race=True)
    again = copied(found)
    assert repr(again) == repr(found) and again.best == found.best and again.best_cost == found.best_cost
    assert said(again.trials) == said(found.trials) and again.stopped == found.stopped == "the budget of trials is used up"
    assert again.seconds == pytest.approx(found.seconds)
    assert found.race is not None and again.race is not None and again.race.tied == found.race.tied
    assert str(again.verdict) == str(found.verdict) and repr(again.race) == repr(found.race)
    assert [t.index for t in again.front()] == [t.index for t in found.front()]
    found.report(tmp_path / "a.html")
    again.report(tmp_path / "b.html")
    assert (tmp_path / "a.html").read_text() == (tmp_path / "b.html").read_text()
    assert said([copied(found.trials[0])]) == said(found.trials[:1])


@pytest.mark.parametrize("copied", COPIES)
def test_a_plan_has_its_tasks_and_its_page(copied: Callable[[Any], Any], tmp_path: Path) -> None:
    plan = minimize_tasks({"a": (lambda x: 1.0 + x, {"x": range(20)}), "b": (lambda y: 2.0 + y, {"y": range(9)})}, trials=8, weights={"b": 3})
    again = copied(copied(plan))
    assert repr(again) == repr(plan) and again.latency == plan.latency and again.stopped == plan.stopped == "the budget of trials is used up"
    assert said(again["b"].trials) == said(plan["b"].trials)
    plan.report(tmp_path / "a.html")
    again.report(tmp_path / "b.html")
    assert (tmp_path / "a.html").read_text() == (tmp_path / "b.html").read_text()


@pytest.mark.parametrize("copied", COPIES)
def test_the_copy_of_a_job_is_told_as_the_job(copied: Callable[[Any], Any]) -> None:
    tuner = Tuner(SPACE, trials=9, seed=2)
    for job in tuner.ask(3):
        again = copied(job)
        assert repr(again) == repr(job) and again.index == job.index
        tuner.tell(again, cost_of(again.index))
        with pytest.raises(Error, match="was answered already"):
            tuner.tell(job, 1.0)
    assert [t.cost for t in tuner.trials] == [cost_of(t.index) for t in tuner.trials] and len(tuner.trials) == 3


def test_a_result_where_all_failed_says_why_in_a_copy() -> None:
    found = minimize(lambda x: 1 / 0, {"x": [1, 2]}, trials=2)
    with pytest.raises(Error, match="2 of 2 failed, most often: crash, threw: ZeroDivisionError"):
        copy.deepcopy(found).best


@pytest.mark.parametrize("copied", COPIES)
def test_a_copy_of_a_tuner_proposes_what_it_would(copied: Callable[[Any], Any]) -> None:
    tuner = Tuner(SPACE, trials=60, seed=2)
    tuner.know(SPACE[3], 4.5)
    tuner.begin_with(SPACE[0])
    for _ in range(4):
        for job in reversed(tuner.ask(3)):
            tuner.tell(job, cost_of(job.index) if job.index % 5 else Failed("no"))
    lost = tuner.ask()
    assert lost is not None
    with pytest.raises(Error, match="tuner: is copied with 1 job out, want them told or dropped before"):
        copied(tuner)
    tuner.drop(lost)
    again = copied(tuner)
    assert said(again.trials) == said(tuner.trials) and again.best == tuner.best
    for one in iter(tuner.ask, None):
        other = again.ask()
        assert other is not None and other.index == one.index
        for which, job in ((tuner, one), (again, other)):
            which.tell(job, cost_of(job.index), seconds=1.0, stamp=100.0)
    assert again.over and again.stopped == tuner.stopped


def test_a_copy_of_a_tuner_with_a_log_takes_it_up(tmp_path: Path) -> None:
    tuner = Tuner(SPACE, trials=20, seed=2, log=tmp_path / "run.jsonl")
    tuner.begin_with(SPACE[1])
    for _ in range(5):
        job = tuner.ask()
        assert job is not None
        tuner.tell(job, cost_of(job.index))
    bytes_ = pickle.dumps(tuner)
    with pytest.raises(Error, match="run.jsonl"):  # which has one writer
        pickle.loads(bytes_).ask()
    tuner.close()
    closed = copy.deepcopy(tuner)
    assert len(closed.trials) == 5 and closed.over
    again = pickle.loads(bytes_)
    assert said(again.trials) == said(tuner.trials) and again.ask() is not None
