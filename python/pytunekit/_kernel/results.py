# SPDX-License-Identifier: MIT
"""What the door returns: rows with Kernel Tuner's columns and units, facts of the run, and what the search found."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone
from os import PathLike

from .._minimize import Race, Result, Verdict
from .._space import Space
from .._tuner import Trials
from .cache import error_of
from .objective import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TOTALS = ("compile", "verification", "benchmark", "framework", "strategy")


def row_of(configuration: Mapping[str, Any], measured: Mapping[str, Any], is_time: bool, verification: float) -> dict[str, Any]:
    """What measuring gave, in columns: all times in milliseconds, but a cost that a function of C returned, which is as it is."""
    row = dict(configuration)
    if measured["kind"]:
        row["__error__"] = error_of(measured["kind"])
    else:
        times = [1e3 * t if is_time else t for t in measured["times"]]
        row["time"] = sum(times) / len(times)
        row["times"] = times
    row["compile_time"] = 1e3 * measured["build_seconds"]
    row["verification_time"] = 1e3 * verification
    row["benchmark_time"] = 1e3 * measured["run_seconds"]
    return row


def stamp(row: dict[str, Any], strategy: float, framework: float) -> None:
    """Adds the last columns: when, and the milliseconds that choosing and all else took."""
    row["timestamp"] = str(datetime.now(timezone.utc))
    row["strategy_time"] = 1e3 * strategy
    row["framework_time"] = 1e3 * framework


def environment(device: Mapping[str, Any], iterations: int, options: list[str], rows: list[dict[str, Any]], seconds: float) -> dict[str, Any]:
    """Facts of the run, as json writes them."""
    env: dict[str, Any] = {"device_name": device["name"], "max_threads": device["threads"]}
    if device["architecture"]:
        env["compute_capability"] = device["architecture"].removeprefix("sm_")
    env.update(iterations=iterations, compiler_options=options)
    spent = 0.0
    for what in TOTALS:
        env[f"total_{what}_time"] = sum(float(row.get(f"{what}_time", 0)) for row in rows)
        spent += env[f"total_{what}_time"]
    env["overhead_time"] = max(0.0, 1e3 * seconds - spent)
    return env


class KernelResult(tuple[list[dict[str, "Any"]], dict[str, "Any"]]):
    """What `tune_kernel` found. It is `(results, env)`, a row for each configuration that ran and facts of the run, which json writes;
    and it has what a search of pytunekit has.

        results, env = found = tune_kernel(...)
        env["best_config"], found.best, found.verdict, found.report("run.html")
    """

    found: Result
    """The whole run as `minimize` gives it."""

    def __new__(cls, results: list[dict[str, Any]], env: dict[str, Any], found: Result, rename: Mapping[str, Mapping[Any, Any]]) -> KernelResult:
        """`rename` has the values of parameters that a space has as texts."""
        self = super().__new__(cls, (results, env))
        self.found = found
        self._rename = {name: dict(values) for name, values in rename.items()}
        return self

    _rename: dict[str, dict[Any, Any]]

    @property
    def best(self) -> dict[str, Any]:
        """The best configuration: of the race where there was one, else by the least of its runs, or by what its function returned."""
        return {name: self._rename.get(name, {}).get(value, value) for name, value in self.found.best.items()}

    @property
    def best_cost(self) -> float:
        """Its cost: seconds where times are measured, else what its function returned, or the objective, inverted where more is better."""
        return self.found.best_cost

    @property
    def trials(self) -> Trials:
        """All trials in the order of their answers, those that failed included, which are not among `results`."""
        return self.found.trials

    @property
    def race(self) -> Race | None:
        """The last comparison, where there was one."""
        return self.found.race

    @property
    def verdict(self) -> Verdict:
        """What may be said of the best: `print(found.verdict)`."""
        return self.found.verdict

    @property
    def space(self) -> Space:
        """The configurations that fulfil the restrictions."""
        return self.found.space

    @property
    def stopped(self) -> str:
        """Why the run ended, in words."""
        return self.found.stopped

    def report(self, path: str | PathLike[str]) -> None:
        """Writes the run as one HTML page, which needs no network."""
        self.found.report(path)

    def _repr_html_(self) -> str:
        """What a notebook shows: the best configuration and the tuning curve."""
        return self.found._repr_html_()

    def __repr__(self) -> str:
        return repr(self.found)

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (self[0], self[1], self.found, self._rename)


def as_json(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows whose values json writes: a metric's numbers of numpy as Python's, tuples stay."""
    return [{name: plain(value) for name, value in row.items()} for row in rows]
