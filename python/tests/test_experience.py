# SPDX-License-Identifier: MIT
"""What a run says of its experience."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytunekit import Error, Space, Tuner, minimize, minimize_tasks

SPACE = Space({"tile": range(1, 17), "unroll": [1, 2, 4]})
LARGER = Space({"tile": range(1, 33), "unroll": [1, 2, 4], "lanes": [4, 8]})
TAKEN = "experience of 1 source, 20 results: 1 used, 100 % of their results are configurations here"


def bowl(tile: int, unroll: int, **_: Any) -> float:
    return 1 + abs(tile - 8) + abs(unroll - 2) / 8


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "before.jsonl"
    minimize(bowl, SPACE, trials=20, log=path)
    return path


def test_what_is_taken_is_told(log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = minimize(bowl, SPACE, trials=4, experience=log, progress=True)
    assert found.taken == TAKEN
    assert capsys.readouterr().err.splitlines()[0] == TAKEN
    found.report(tmp_path / "run.html")
    assert TAKEN in (tmp_path / "run.html").read_text()
    minimize(bowl, SPACE, trials=4, experience=log)
    assert capsys.readouterr().err == ""
    assert Tuner(LARGER, experience=[log]).taken == TAKEN.replace("100 %", "0 %") + "; only here: lanes"  # lanes may be either


def test_of_several_tasks_it_is_one_line(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tasks: dict[str, tuple[Callable[..., Any], Space]] = {"a": (bowl, SPACE), "b": (lambda lanes: 1.0 + lanes, Space({"lanes": [4, 8]}))}
    plan = minimize_tasks(tasks, trials=2, experience=log, progress=True)
    assert plan.taken == "experience of 1 source, 20 results: up to 1 used by 1 of 2 tasks, 100 % of their results are configurations here"
    assert capsys.readouterr().err.splitlines()[0] == plan.taken


def test_a_warning_is_of_the_line_that_gives_the_experience(tmp_path: Path) -> None:
    none = tmp_path / "none"
    for call in (
        lambda: minimize(bowl, SPACE, trials=2, experience=none), lambda: Tuner(SPACE, experience=none),
        lambda: minimize_tasks({"a": (bowl, SPACE)}, trials=2, experience=none),
    ):
        with pytest.warns(UserWarning, match="none: cannot be opened for reading") as seen:
            call()
        assert [w.filename for w in seen] == [__file__]


def test_without_experience_nothing_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert minimize(bowl, SPACE, trials=2, progress=True).taken == ""
    assert "experience" not in capsys.readouterr().err


def test_a_recipe_that_learns_nothing_is_refused(log: Path) -> None:
    with pytest.raises(Error, match='recipe "random" takes no experience, want one with a model, such as combined'):
        minimize(bowl, SPACE, trials=2, recipe="random", experience=log)
