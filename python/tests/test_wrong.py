# SPDX-License-Identifier: MIT
"""Wrong input of any type, wherever something is given: Error, which has one line, or it is taken."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pytunekit
from pytunekit import Failed, Limits, Space, Tuner, minimize, minimize_tasks, permutation


class Hidden:
    def __repr__(self) -> str:
        raise RuntimeError("this has no text")


VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 2**63, 2**64, 10**400, 10**5000, 0.5, float("nan"), float("inf"), -float("inf"), 1e308, "", "x",
    "\ud800", "a\0b", "a\nb", b"", b"\xff", bytearray(b"q"), (), (1,), [], [1], [[1]], ["x"], [None], {}, {"a": 1}, {"a": 9}, {"a": [1, 2]},
    {"a": None}, {1: [1]}, {"t": 1}, [{"a": 1}], [{"a": 9}], [{}], set(), {1, 2}, range(3), iter([1]), complex(1, 2), slice(1),
    object(), int, len, lambda a: 1.0, lambda **k: 1.0, ..., NotImplemented, Exception("x"),
]  # fmt: skip
SPACE = Space({"a": [1, 2, 3, 4]})


def cost(a: int) -> float:
    return float(a)


def hashed(value: Any) -> Any:
    return value if isinstance(value, (int, float, str, bytes, tuple)) else None


def told(outcome: Any, **more: Any) -> None:
    tuner = Tuner(SPACE, trials=2)
    job = tuner.ask()
    assert job is not None
    tuner.tell(job, outcome, **more)
    repr(tuner)
    tuner.trials


GIVEN: dict[str, Callable[[Any], object]] = {
    "space": lambda v: Space(v),
    "space: values": lambda v: Space({"a": v}),
    "space: value": lambda v: Space({"a": [v, 1]}),
    "space: constraints": lambda v: Space({"a": [1, 2]}, v),
    "space: constraint": lambda v: Space({"a": [1, 2]}, [v]),
    "index": SPACE.index,
    "index: value": lambda v: SPACE.index({"a": v}),
    "in": lambda v: v in SPACE,
    "at": SPACE.at,
    "permutation": permutation,
    "Limits: seconds": lambda v: Limits(seconds=v),
    "Limits: memory": lambda v: Limits(memory=v),
    "begin_with": lambda v: Tuner(SPACE).begin_with(v),
    "know": lambda v: Tuner(SPACE).know(v, 1.0),
    "know: outcome": lambda v: Tuner(SPACE).know({"a": 1}, v),
    "ask": lambda v: Tuner(SPACE).ask(v),
    "tell": lambda v: Tuner(SPACE).tell(v, 1.0),
    "drop": lambda v: Tuner(SPACE).drop(v),
    "tell: outcome": told,
    "tell: why": lambda v: told(Failed(v)),
    "tell: kind": lambda v: told(Failed("x", kind=v)),
    "tell: seconds": lambda v: told(1.0, seconds=v),
    "tell: stamp": lambda v: told(1.0, stamp=v),
    "minimize": lambda v: minimize(v, SPACE, trials=2),
    "minimize: space": lambda v: minimize(cost, v, trials=2),
    "minimize: result": lambda v: minimize(lambda a: v, SPACE, trials=2),
    "minimize: begin_with": lambda v: minimize(cost, SPACE, trials=2, begin_with=v),
    "minimize: executor": lambda v: minimize(cost, SPACE, trials=2, executor=v),
    "minimize: isolated": lambda v: minimize(cost, SPACE, trials=2, isolated=v),
    "minimize: progress": lambda v: None if callable(v) else minimize(cost, SPACE, trials=2, progress=v),
    "minimize_tasks": lambda v: minimize_tasks(v, trials=2),
    "minimize_tasks: task": lambda v: minimize_tasks({"t": v}, trials=2),
    "minimize_tasks: name": lambda v: minimize_tasks({hashed(v): (cost, SPACE)}, trials=2),
    "minimize_tasks: function": lambda v: minimize_tasks({"t": (v, SPACE)}, trials=2),
    "minimize_tasks: weights": lambda v: minimize_tasks({"t": (cost, SPACE)}, trials=2, weights=v),
    "minimize_tasks: weight": lambda v: minimize_tasks({"t": (cost, SPACE)}, trials=2, weights={"t": v}),
    "minimize_tasks: schedule": lambda v: minimize_tasks({"t": (cost, SPACE)}, trials=2, schedule=v),
}
for option in ("recipe", "trials", "seconds", "patience", "seed", "name"):
    GIVEN[f"Tuner: {option}"] = lambda v, option=option: Tuner(SPACE, **{option: v})  # type: ignore[misc]


NEVER_REFUSED = ("in", "tell: why", "minimize: result")  # the last is a failed trial


@pytest.mark.parametrize("where", GIVEN)
def test_wrong_input_is_an_error_of_one_line(where: str) -> None:
    refused = 0
    for value in VALUES:
        try:
            GIVEN[where](value)
        except pytunekit.Error as e:
            refused += 1
            assert str(e) and "\n" not in str(e)
        except Exception as e:
            raise AssertionError(f"{where}: value {VALUES.index(value)} gave {type(e).__name__}") from e
    assert (refused > 0) == (where not in NEVER_REFUSED)


@pytest.mark.parametrize("where", [w for w in GIVEN if w not in NEVER_REFUSED])
def test_what_cannot_be_shown_is_an_error_too(where: str) -> None:
    with pytest.raises(pytunekit.Error):
        GIVEN[where](Hidden())
