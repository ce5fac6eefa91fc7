# SPDX-License-Identifier: MIT
"""Executors that lose calls, take none, or cannot carry them; those of other packages are tried in engines/."""

import os
import signal
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pytunekit import Error, Limits, Space, minimize, minimize_tasks

SPACE = Space({"tile": [1, 2, 4, 8, 16], "unroll": [1, 2, 4]}, constraints=["tile * unroll <= 32"])


def bowl(tile: int, unroll: int) -> float:
    return 1 + abs(tile - 8) + abs(unroll - 2) / 8


def killed_once(folder: str, tile: int, unroll: int) -> float:
    """Kills its process in the first call for one configuration; each call leaves a byte in a file."""
    with open(folder + "/calls", "ab", buffering=0) as calls:
        calls.write(b".")
    mark = Path(folder, "killed")
    if (tile, unroll) == (8, 2) and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return bowl(tile, unroll)


class Losing(Executor):
    """Makes a call at once, but loses the first `times` of those for a configuration."""

    def __init__(self, configuration: dict[str, int], times: int) -> None:
        self.configuration = configuration
        self.left = times
        self.calls = 0

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        out: Future[Any] = Future()
        self.calls += 1
        if args[2] == self.configuration and self.left > 0:
            self.left -= 1
            out.set_exception(OSError("the worker is gone"))
        else:
            out.set_result(fn(*args, **kwargs))
        return out


def test_a_call_that_is_lost_is_made_once_more() -> None:
    executor = Losing({"tile": 8, "unroll": 2}, 1)
    found = minimize(bowl, SPACE, trials=99, executor=executor, workers=3)
    assert executor.calls == len(SPACE) + 1
    assert found.best == {"tile": 8, "unroll": 2} and not any(t.kind for t in found.trials)


def test_lost_again_it_is_a_failed_trial() -> None:
    executor = Losing({"tile": 8, "unroll": 2}, 2)
    found = minimize(bowl, SPACE, trials=99, executor=executor, workers=3)
    assert [(t.configuration, t.kind, t.failed) for t in found.trials if t.kind] == [
        ({"tile": 8, "unroll": 2}, "lost", "was lost with its worker: OSError: the worker is gone")
    ]
    assert len(found.trials) == len(SPACE)


def test_a_process_pool_that_breaks_costs_the_calls_that_were_out(tmp_path: Path) -> None:
    """Its other workers go with the one that is killed, so the run ends. Begun again with its log it measures nothing twice but those."""

    def run() -> Any:
        with ProcessPoolExecutor(2) as executor:
            return minimize(
                partial(killed_once, str(tmp_path)), SPACE, trials=14, seed=1, executor=executor, log=tmp_path / "run.jsonl", resume=True,
                begin_with=[{"tile": 4, "unroll": 2}, {"tile": 8, "unroll": 2}],
            )

    with pytest.raises(Error, match="the executor broke: .*isolated=True"):
        run()
    found = run()
    assert found.best == {"tile": 8, "unroll": 2} and len(found.trials) == len(SPACE) and not any(t.kind for t in found.trials)
    assert (tmp_path / "calls").stat().st_size in (len(SPACE) + 1, len(SPACE) + 2)


def test_of_several_tasks_each_loses_its_own() -> None:
    executor = Losing({"tile": 8, "unroll": 2}, 2)
    plan = minimize_tasks({"a": (bowl, SPACE), "b": (bowl, SPACE)}, trials=99, executor=executor, workers=2)
    assert not any(t.kind for name in "ab" for t in plan[name].trials)


def test_workers_are_as_many_as_wanted() -> None:
    class Counting(ThreadPoolExecutor):
        out = most = 0

        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
            self.out += 1
            self.most = max(self.most, self.out)
            future = super().submit(fn, *args, **kwargs)
            future.add_done_callback(self.ended)
            return future

        def ended(self, future: Future[Any]) -> None:
            self.out -= 1

    with Counting(4) as executor:
        minimize(bowl, SPACE, trials=14, executor=executor, workers=1)
        assert executor.most == 1
    for wrong in (0, True, 2.0, 10**7):
        with pytest.raises(Error, match="workers is .*, want an integer from 1"), ThreadPoolExecutor(2) as pool:
            minimize(bowl, SPACE, trials=4, executor=pool, workers=wrong)  # type: ignore[arg-type]
    with pytest.raises(Error, match="workers is 2 without an executor"):
        minimize(bowl, SPACE, trials=4, workers=2)
    with pytest.warns(UserWarning, match="does not tell how many workers it has: one call is out at a time, unless workers=N says more"):
        assert len(minimize(bowl, SPACE, trials=4, executor=Losing({}, 0)).trials) == 4


def test_an_executor_that_is_shut_down_is_told() -> None:
    executor = ThreadPoolExecutor(2)
    executor.shutdown()
    with pytest.raises(Error, match="the executor takes no call: .*, want one that is not shut down"):
        minimize(bowl, SPACE, trials=4, executor=executor)


def test_what_cannot_be_pickled_is_told() -> None:
    with ProcessPoolExecutor(1) as executor:
        with pytest.raises(Error, match="the function does not reach the executor's workers: .*, want a function at the top of a module"):
            minimize(lambda tile, unroll: 1.0, SPACE, trials=4, executor=executor)
        assert len(minimize(bowl, SPACE, trials=4, executor=executor).trials) == 4  # it serves on


def test_a_race_uses_the_executor_too() -> None:
    with ThreadPoolExecutor(2) as executor:
        found = minimize(bowl, SPACE, trials=14, executor=executor, race=True, isolated=Limits(seconds=20))
    assert found.race is not None and found.best == {"tile": 8, "unroll": 2}
