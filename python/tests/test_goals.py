# SPDX-License-Identifier: MIT
"""Numbers beside the cost: objectives over them, the front of several goals, and what is told of wrong input."""

from __future__ import annotations

import math
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pytunekit import Error, Failed, Measurement, Space, Tuner, minimize

LEVELS = Space({"level": [1, 2, 3, 4, 5, 6], "mode": ["plain", "long"]})


def work(level: int, mode: str) -> Measurement:
    """Slower and smaller with each level; the long mode is worse in both."""
    more = 3 if mode == "long" else 0
    return Measurement(10 * level + more, bytes=1000 - 100 * level + 7 * more)


@pytest.mark.parametrize(
    ("objective", "level", "cost"),
    [("", 1, 10), ("cost", 1, 10), ("bytes", 6, 400), ("cost + bytes", 6, 460), ("cost where bytes <= 650", 4, 40), ("cost * bytes", 1, 9000)],
)
def test_an_objective_is_lowered(objective: str, level: int, cost: float) -> None:
    found = minimize(work, LEVELS, trials=12, recipe="random", numbers=["bytes"], objective=objective)
    assert found.best == {"level": level, "mode": "plain"}
    assert found.best_cost == cost
    names = {"bytes", "cost"} if objective not in ("", "cost") else {"bytes"}
    assert all(set(t.numbers) == names for t in found.trials)
    assert all(t.numbers["bytes"] == 1000 - 100 * t.configuration["level"] + (21 if t.configuration["mode"] == "long" else 0) for t in found.trials)


@pytest.mark.parametrize("isolated", [False, True])
def test_numbers_come_through_child_processes_executors_and_races(isolated: bool) -> None:
    with ThreadPoolExecutor(2) as executor:
        found = minimize(
            work, LEVELS, trials=12, recipe="random", numbers=["bytes"], objective="cost where bytes <= 650", executor=executor, isolated=isolated, race=True
        )
    assert found.best == {"level": 4, "mode": "plain"}
    assert found.race is not None and found.race.cost == 40


def test_the_front_of_the_cost_and_a_number() -> None:
    for recipe in ("parego", "random"):
        found = minimize(work, LEVELS, trials=12, recipe=recipe, numbers=["bytes"])
        for front in (found.front(), found.front("cost", "bytes")):
            assert [t.configuration["level"] for t in front] == [1, 2, 3, 4, 5, 6]
            assert all(t.configuration["mode"] == "plain" for t in front)


def test_a_race_compares_the_objective_and_not_the_cost() -> None:
    for objective, level in [("bytes where cost <= 50", 5), ("cost where bytes <= 500", 5), ("cost * bytes", 1)]:
        found = minimize(work, LEVELS, trials=12, recipe="random", numbers=["bytes"], objective=objective, race=True)
        assert found.race is not None and found.race.rounds >= 2
        assert found.best["level"] == level
        assert found.race.front == []


def test_a_race_for_the_front_has_its_members_with_every_goal() -> None:
    found = minimize(work, LEVELS, trials=12, recipe="parego", numbers=["bytes"], race=True)
    assert found.race is not None
    front = found.race.front
    assert [m.configuration["level"] for m in front] == [1, 2, 3, 4, 5, 6]
    assert all(m.configuration["mode"] == "plain" for m in front)
    assert [m.goals for m in front] == [{"cost": 10.0 * k, "bytes": 1000.0 - 100 * k} for k in range(1, 7)]
    assert all(m.within[g][0] <= m.goals[g] <= m.within[g][1] for m in front for g in ("cost", "bytes"))
    assert found.best == front[0].configuration
    plain = minimize(work, LEVELS, trials=12, recipe="random", numbers=["bytes"], race=True)
    assert plain.race is not None and plain.race.front == [] and plain.best["level"] == 1


def test_a_race_of_too_few_rounds_has_the_front_so_far() -> None:
    calls = 0

    def f(level: int, mode: str) -> Measurement:
        nonlocal calls
        calls += 1
        if calls > len(LEVELS):
            time.sleep(0.03)  # no second has more than a few rounds
        return work(level, mode)

    race = minimize(f, LEVELS, trials=12, recipe="parego", numbers=["bytes"], race=True).race
    assert race is not None and race.unclear and race.rounds < race.rounds_to_separate
    assert [m.configuration for m in race.front] == [{"level": k, "mode": "plain"} for k in range(1, 7)]
    assert [m.goals for m in race.front] == [{"cost": 10.0 * k, "bytes": 1000.0 - 100 * k} for k in range(1, 7)]


def test_progress_says_by_how_much_a_limit_is_broken(capsys: pytest.CaptureFixture[str]) -> None:
    found = minimize(work, LEVELS, trials=12, recipe="grid", numbers=["bytes"], objective="cost where bytes <= 200", progress=True)
    told = capsys.readouterr().err.splitlines()
    assert all("none keeps the limit, the nearest is " in line for line in told)
    assert told[-1].endswith("the nearest is 100 % beyond it")
    assert repr(found) == "of 12 none keeps the limit, the nearest is 100 % beyond it: level 6, mode plain"


def test_the_page_has_the_front_and_the_table_the_numbers(tmp_path: Path) -> None:
    found = minimize(work, LEVELS, trials=12, recipe="parego", numbers=["bytes"])
    found.report(tmp_path / "run.html")
    assert "The front" in (tmp_path / "run.html").read_text(encoding="utf-8")


def test_a_log_keeps_what_was_measured_and_is_taken_up(tmp_path: Path) -> None:
    log = tmp_path / "run.jsonl"

    def run(objective: str, resume: bool) -> Tuner:
        return Tuner(LEVELS, recipe="grid", trials=12, numbers=["bytes"], objective=objective, log=log, resume=resume)

    with run("cost where bytes <= 650", False) as tuner:
        for _ in range(6):
            job = tuner.ask()
            assert job is not None
            tuner.tell(job, work(**job.configuration), seconds=1)
        half = tuner.trials
    assert '"objective":"cost where bytes <= 650"' in log.read_text().splitlines()[0]
    with run("cost where bytes <= 650", True) as tuner:
        assert [t.numbers for t in tuner.trials] == [t.numbers for t in half]
        while (job := tuner.ask()) is not None:
            tuner.tell(job, work(**job.configuration), seconds=1)
        assert tuner.best_cost == 40
    with pytest.raises(Error, match="the objective cost where bytes <= 650, not bytes"), run("bytes", True) as tuner:
        tuner.ask()


def test_a_number_that_is_missing_fails_the_objective_alone() -> None:
    def half(level: int, mode: str) -> Measurement | float | Failed:
        if mode == "long":
            return float(level)
        return work(level, mode)

    found = minimize(half, LEVELS, trials=12, recipe="random", numbers=["bytes"], objective="cost + bytes")
    assert sum(t.failed != "" for t in found.trials) == 6
    assert any("'bytes' was not measured" in t.failed for t in found.trials)
    plain = minimize(half, LEVELS, trials=12, recipe="random", numbers=["bytes"])
    assert all(t.cost is not None for t in plain.trials)
    assert all(t.numbers == {} or not math.isnan(t.numbers["bytes"]) for t in plain.trials)


def test_a_trial_shows_its_numbers() -> None:
    found = minimize(work, LEVELS, trials=2, begin_with={"level": 3, "mode": "plain"}, numbers=["bytes"])
    assert repr(found.trials[0]) == "Trial({'level': 3, 'mode': 'plain'}, 30.0, bytes=700)"


def test_wrong_input_is_one_line() -> None:
    for message, numbers, objective in [
        ("no number is called 'watts', want one of cost, bytes", ["bytes"], "cost * watts"),
        ("no number is called 'bytes', want one of cost", [], "bytes"),
        ("named twice", ["bytes", "bytes"], ""),
        ("is the name of the cost", ["cost"], ""),
        ("is not a limit, want NAME <= NUMBER", ["bytes"], "cost where bytes < 5"),
        ("more than 8 names", list("abcdefghi"), ""),
        ("want at most 7", list("abcdefgh"), "a"),
    ]:
        with pytest.raises(Error, match=message.replace("(", "\\(")):
            Tuner(LEVELS, trials=5, numbers=numbers, objective=objective)
    with pytest.raises(Error, match="each of the first 10 calls gave no result: the measurement has a number 'bytes'"):
        minimize(work, LEVELS, trials=12)
    with pytest.raises(Error, match="the number bytes is 'many'"):
        Measurement(1.0, bytes="many")  # type: ignore[arg-type]
    found = minimize(work, LEVELS, trials=5, numbers=["bytes"])
    with pytest.raises(Error, match="no number is called 'watts'"):
        found.front("watts")
    with pytest.raises(Error, match="fewer than two goals"):
        found.front("cost")
