# SPDX-License-Identifier: MIT
"""One configuration for many inputs: minimize(instances=...)."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from pytunekit import Error, Limits, Result, Space, minimize

SPACE = Space({"tile": [1, 2, 3, 4], "unroll": [1, 2, 4, 8]})
SIZES = list(range(1, 13))


def cost(tile: int, unroll: int, instance: int) -> float:
    """Best where tile is 2 and unroll 1, on every instance."""
    return instance * (1 + 3 * (tile - 2) ** 2) * unroll


def found(f: Any = cost, **more: Any) -> Result:
    return minimize(f, SPACE, **{"trials": 16, "begin_with": [{"tile": 1, "unroll": 1}], "instances": SIZES, **more})


def test_ratio_and_early_end() -> None:
    calls: list[tuple[int, int, int]] = []

    def counted(tile: int, unroll: int, instance: int) -> float:
        calls.append((tile, unroll, instance))
        return cost(tile, unroll, instance)

    a = found(counted)
    assert a.best == {"tile": 2, "unroll": 1}
    assert a.best_cost == pytest.approx(0.25)
    assert a.trials[0].cost == 1
    assert a.instances == {str(n): pytest.approx(0.25) for n in SIZES}
    assert a.left_out == []
    bounds = [t for t in a.trials if t.at_least]
    assert len(bounds) >= 8 and all(t.cost is not None and t.cost >= 0.25 for t in bounds)
    early = len(calls)
    assert early < 16 * 12
    calls.clear()
    assert found(counted, every_instance=True).best == a.best
    assert len(calls) == 16 * 12
    b = pickle.loads(pickle.dumps(a))
    assert b.instances == a.instances and b.best == a.best


def test_sum_worst_and_names() -> None:
    for how in ("sum", "worst"):
        assert found(instance_cost=how).best_cost == pytest.approx(0.25)
    named = found(instances={"small": 1, "large": 100})
    assert named.instances == {"small": pytest.approx(0.25), "large": pytest.approx(0.25)}


def test_default_fails_on_one_or_all() -> None:
    def fails(tile: int, unroll: int, instance: int) -> float:
        if instance == 3:
            raise ValueError("no three")
        return cost(tile, unroll, instance)

    a = found(fails)
    assert a.best == {"tile": 2, "unroll": 1}
    assert len(a.left_out) == 1 and a.left_out[0].startswith("3: threw: ValueError: no three")
    assert "3" not in a.instances
    with pytest.raises(Error, match="the default failed on every input"):
        found(fails, instances=[3])


def test_candidate_fails_on_one() -> None:
    def fails(tile: int, unroll: int, instance: int) -> float:
        if tile == 4 and unroll == 1:
            raise ValueError("too large")
        return cost(tile, unroll, instance)

    bad = [t for t in found(fails).trials if t.kind]
    assert [t.configuration for t in bad] == [{"tile": 4, "unroll": 1}]
    assert "too large" in bad[0].failed


def test_same_run_when_resumed(tmp_path: Path) -> None:
    log = tmp_path / "run.jsonl"
    whole = found()
    found(trials=6, log=log)
    calls: list[int] = []

    def counted(tile: int, unroll: int, instance: int) -> float:
        calls.append(instance)
        return cost(tile, unroll, instance)

    again = found(counted, log=log, resume=True)
    assert [(t.index, t.cost, t.at_least) for t in again.trials] == [(t.index, t.cost, t.at_least) for t in whole.trials]
    assert 0 < len(calls) < 16 * 12
    with pytest.raises(Error, match="the cost"):
        found(log=log, resume=True, instances=[1, 2])


def test_executor_children_and_race() -> None:
    with ThreadPoolExecutor(3) as threads:
        assert found(executor=threads).best == {"tile": 2, "unroll": 1}
    assert found(isolated=Limits(seconds=20), trials=4).trials[0].cost == 1
    raced = found(baseline={"tile": 1, "unroll": 1}, begin_with=())
    assert raced.race is not None and raced.race.best == {"tile": 2, "unroll": 1}
    assert raced.race.cost == pytest.approx(0.25) and raced.race.first_cost == pytest.approx(1)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"instances": []}, "instances is empty"),
        ({"instances": "abc"}, "want a list of values"),
        ({"instances": 3}, "want a list of values"),
        ({"instances": [1, 1]}, "twice"),
        ({"instance_cost": "median"}, "want mean, sum or worst"),
        ({"numbers": ["bytes"]}, "want them without numbers"),
        ({"checks": True}, "want them without numbers, objective and checks"),
        ({"f": lambda tile, unroll: 1.0}, "want the parameters tile, unroll, instance"),
    ],
)
def test_wrong(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(Error, match=says):
        found(**wrong)


def test_parameter_called_instance() -> None:
    with pytest.raises(Error, match="has the name of the argument"):
        minimize(lambda instance: 1.0, {"instance": [1, 2]}, trials=2, instances=[1])
