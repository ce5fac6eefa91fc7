# SPDX-License-Identifier: MIT
"""The strategy within Kernel Tuner, in its simulation mode."""

import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from pytunekit import Error
from pytunekit.kernel_tuner import Strategy

PARAMETERS = {"block_size_x": list(range(16, 513, 16)), "tile": [1, 2, 4, 8], "unroll": [0, 1, 2, 4]}
RESTRICTIONS = ["block_size_x * tile <= 2048", "unroll == 0 or tile % unroll == 0"]


def time_of(block_size_x: int, tile: int, unroll: int = 2) -> float:
    return 1 + abs(block_size_x - 64) / 64 + abs(tile - 4) / 4 + abs(unroll - 2) / 8


def record(path: Path, parameters: dict[str, list[int]], allowed: Callable[..., bool], failing: tuple[int, ...] = ()) -> None:
    """Writes a whole space as Kernel Tuner records it."""
    entries: dict[str, Any] = {}
    for values in product(*parameters.values()):
        if not allowed(*values):
            continue
        c: dict[str, Any] = dict(zip(parameters, values))
        time: Any = time_of(**c) if values != failing else "RuntimeFailedConfig"
        wrong = {} if isinstance(time, float) else {"__error__": time}
        entries[",".join(map(str, values))] = c | wrong | {
            "time": time, "GFLOP/s": 100 / time if isinstance(time, float) else time, "compile_time": 1.0, "verification_time": 0.0,
            "benchmark_time": 1.0, "strategy_time": 0.0, "framework_time": 0.0, "times": [time], "timestamp": "2026-01-01T00:00:00+00:00",
        }
    path.write_text(json.dumps({
        "device_name": "none", "kernel_name": "k", "problem_size": [1024], "tune_params_keys": list(parameters),
        "tune_params": parameters, "objective": "time", "cache": entries,
    }))


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A space with one configuration that does not run."""
    path = tmp_path / "cache.json"
    record(path, PARAMETERS, lambda x, tile, unroll: x * tile <= 2048 and (unroll == 0 or tile % unroll == 0), (64, 4, 4))
    return path


def tuned(cache: Path, strategy: Strategy, **more: Any) -> list[dict[str, Any]]:
    from kernel_tuner import tune_kernel
    from kernel_tuner.strategies.wrapper import OptAlgWrapper

    results, _ = tune_kernel(
        "k", "", 1024, [], PARAMETERS, restrictions=RESTRICTIONS, cache=str(cache), simulation_mode=True, verbose=False, quiet=True,
        strategy=OptAlgWrapper(strategy), **more,
    )
    return list(results)


def test_the_strategy_finds_the_best_within_the_budget(cache: Path) -> None:
    results = tuned(cache, Strategy(seed=1), strategy_options={"max_fevals": 60})
    assert len(results) == 60
    keys = {tuple(r[p] for p in PARAMETERS) for r in results}
    assert len(keys) == 60 and (64, 4, 2) in keys


def test_it_ends_with_the_space_and_takes_errors_and_scores(cache: Path) -> None:
    results = tuned(cache, Strategy(seed=2), objective="GFLOP/s", objective_higher_is_better=True)
    assert len(results) == len(json.loads(cache.read_text())["cache"])
    first = [tuple(r[p] for p in PARAMETERS) for r in results].index((64, 4, 2))
    assert first < len(results) / 2


def test_random_search_needs_more(cache: Path) -> None:
    """Over 20 seeds the rank of the best one among the evaluated: it is below that of chance, (n + 1) / 2, by more than 4 errors."""
    n = len(json.loads(cache.read_text())["cache"])
    ranks = []
    for seed in range(20):
        results = tuned(cache, Strategy(seed=seed))
        ranks.append([tuple(r[p] for p in PARAMETERS) for r in results].index((64, 4, 2)) + 1)
    error = (n * n / 12 / len(ranks)) ** 0.5
    assert sum(ranks) / len(ranks) < (n + 1) / 2 - 4 * error


def test_a_space_of_the_hub_becomes_a_recording(cache: Path, tmp_path: Path) -> None:
    """Made from the files of a hub of one space, it gives Kernel Tuner the cache that was there."""
    from kernel_tuner_scores import Recording

    hub, to = tmp_path / "hub", tmp_path / "recorded"
    for folder in ("kernels", "cachefiles/k"):
        (hub / folder).mkdir(parents=True)
    (hub / "kernels/k.json").write_text(json.dumps({"ConfigurationSpace": {"Conditions": [{"Expression": r} for r in RESTRICTIONS]}}))
    with gzip.open(hub / "cachefiles/k/none.json.gz", "wt") as file:
        file.write(cache.read_text())
    command = [sys.executable, str(Path(__file__).parents[3] / "bench/studies/data/hub_spaces.py"), str(hub), str(to)]
    subprocess.run(command, check=True)
    found = Recording(to / "k-none", tmp_path)
    before, after = (json.loads(path.read_text())["cache"] for path in (cache, found.cache))
    assert {key: entry["time"] for key, entry in after.items()} == {key: entry["time"] for key, entry in before.items()}
    times = sorted(entry["time"] for entry in before.values() if isinstance(entry["time"], float))
    target = times[0] + 0.05 * (times[len(times) // 2] - times[0])
    reached = sum(t <= target for t in times)
    assert abs(found.budget_evaluations - (len(times) - reached) / (reached + 1)) <= 1
    other = subprocess.run([*command, "k-other"], capture_output=True, text=True)
    assert other.returncode == 2 and other.stderr.endswith("has no space 'k-other', want one of: k-none\n")


def test_several_objectives_are_refused(cache: Path) -> None:
    class Two:
        objective = ["time", "GFLOP/s"]

    with pytest.raises(Error, match="the objectives are time, GFLOP/s, want one"):
        Strategy()(Two(), None)
