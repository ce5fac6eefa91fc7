# SPDX-License-Identifier: MIT
"""The loop of a tuned kernel: asks the search, hands configurations to the engine, tells what came of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from .. import _core
from .._score import cost_of
from .._tuner import Failed, Tuner, number
from .arguments import Comparison
from .cache import KINDS, Cache, key_of
from .objective import Objective, add_metrics, plain
from .problem import Problem, Worker
from .restrictions import Configurations
from .results import row_of, stamp
from .sensed import columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from .._call import Measured

    Taken: TypeAlias = tuple[float | Failed, str, str, list[float]]

NOTHING = float("nan")


class Run:
    """One call of `tune_kernel` on its way."""

    def __init__(
        self, *, problem: Problem, configurations: Configurations, comparison: Comparison, iterations: int, compilers: int, objective: Objective,
        metrics: Mapping[str, Any], cache: Cache | None, seconds: float | None,
    ) -> None:
        self.problem = problem
        self.configurations = configurations
        self.comparison = comparison
        self.objective = objective
        self.metrics = metrics
        self.cache = cache
        self.seconds = float("inf") if seconds is None else seconds
        self.rows: dict[int, dict[str, Any]] = {}
        self.failed: dict[int, tuple[str, str]] = {}
        self.is_time = True
        self._iterations = iterations
        self._compilers = compilers
        self._pool: _core.KernelPool | None = None
        self._worker = Worker()
        self._wrong: BaseException | None = None

    rows: dict[int, dict[str, Any]]
    """Of the configurations that ran, by their index."""
    failed: dict[int, tuple[str, str]]
    """Kind and reason of the others."""
    is_time: bool
    """Whether costs are times; not where a function of C returns its cost."""

    def good_enough(self, until: float | None) -> float | None:
        """The cost of a value of the objective that ends the run; None where none does. Raises: Error for what is no positive number."""
        if until is None:
            return None
        value = number("until", until)
        if isinstance(cost := cost_of(value, self.objective.higher), Failed):
            raise _core.Error(f"tunekit: until is {value:g}, want a positive number, the {self.objective.name} that is good enough")
        if self.objective:
            return cost
        if self.problem.language == "C":
            self.pool(0)  # it knows whether the function returns its cost
        return cost / 1e3 if self.is_time else cost

    def search(self, tuner: Tuner, told: Callable[[int, str, str, float], None]) -> None:
        """Measures what the tuner asks for until it has ended, or its seconds have: then what is being built is given up.
        `told(index, kind, why, stamp)` is called after each answer."""
        run = tuner._run
        if self.problem.language == "C":
            self.pool(0)  # it knows whether the function returns its cost, which the log and remembered ones need
        ranked_by = self.objective.text() or ("" if self.is_time else f"returned by {self.problem.name}")
        run.reads_costs(ranked_by, by_times=not ranked_by)
        began = time.perf_counter() - run.stamp()
        out: dict[int, _core.Job] = {}
        choosing = 0.0

        def tell(job: _core.Job, cost: float | Failed, kind: str, why: str, runs: list[float], took: float, worker: int) -> None:
            if isinstance(cost, Failed):
                kind, why, cost, runs = cost.kind, cost.why, NOTHING, []
            now = time.perf_counter() - began
            run.tell(job, cost=cost, kind=kind, why=why, values=[], seconds=took, stamp=now, worker=worker, runs=runs)
            told(job.index, kind, why, now)

        try:
            while True:
                now = time.perf_counter() - began
                if now >= self.seconds:
                    run.time(now)
                    break
                while (self._pool is None or self._pool.room() > 0) and now < self.seconds:
                    asked = time.perf_counter()
                    run.time(asked - began)
                    jobs = run.ask(0, 1)
                    choosing += time.perf_counter() - asked
                    if not jobs:
                        break
                    job = jobs[0]
                    if (kept := self._remembered(job.index)) is not None:
                        tell(job, *kept, 0.0, 0)
                    else:
                        out[job.ticket] = job
                        self.pool(job.index).submit(job)
                    now = time.perf_counter() - began
                if not out:
                    if run.over():
                        break
                    continue
                assert self._pool is not None
                answers = self._pool.collect(min(0.1, max(0.0, self.seconds - now)))
                if self._wrong is not None:
                    raise self._wrong
                for answer in answers:
                    job = out.pop(answer["ticket"])
                    if answer["lost"]:
                        run.drop(job)
                        continue
                    told_of = self._take(job.index, answer, choosing)
                    choosing = 0.0
                    tell(job, *told_of, answer["run_seconds"], answer["worker"])
        finally:
            for job in out.values():
                run.drop(job)
            if out:
                self._end_pool()  # kills what is being built

    def again(self, index: int) -> Measured:
        """Measures a configuration afresh, for a race."""
        (cost, kind, why, _), seconds = self.afresh(index)
        if isinstance(cost, Failed):
            return NOTHING, cost.kind, cost.why, seconds, {}
        return cost, kind, why, seconds, {}

    def afresh(self, index: int) -> tuple[Taken, float]:
        """Measures a configuration once more, and keeps nothing. Returns what came of it, and the seconds of its runs."""
        measured = self.pool(index).measure(index)
        if self._wrong is not None:
            raise self._wrong
        row = row_of(self.configurations.at(index), measured, self.is_time, 0.0)
        self._add_numbers(row, measured)
        return (self._cost(row, measured), measured["kind"], measured["why"], self._runs(measured)), measured["run_seconds"]

    def known(self) -> list[tuple[int, float, list[float]]]:
        """Index, cost and runs of each configuration that ran, the best first."""
        out = []
        for index, row in self.rows.items():
            measured = {"kind": "", "times": [t / 1e3 if self.is_time else t for t in row["times"]]}
            if not isinstance(cost := self._cost(row, measured), Failed):
                out.append((index, cost, self._runs(measured)))
        return sorted(out, key=lambda one: one[1])

    def pool(self, first: int) -> _core.KernelPool:
        """The engine, which is made when it is first needed."""
        if self._pool is None:
            self._pool = _core.KernelPool(
                space=self.configurations.space._grid, adjust=self._instance, verify=self._compare if self.comparison else None,
                **self.problem.engine(self.configurations.at(first), self._iterations, self._worker, self._compilers),
            )
            self.is_time = self._pool.measures_time()
        return self._pool

    def close(self) -> None:
        """Ends compilers and worker."""
        self._end_pool()
        self._worker.close()

    def _end_pool(self) -> None:
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    def _instance(self, index: int) -> dict[str, Any]:
        return self.problem.instance(self.configurations.at(index))

    def _compare(self, index: int, contents: Sequence[Any]) -> str | None:
        began = time.perf_counter()
        try:
            return self.comparison(contents)
        except Exception as e:  # the caller's verify: it would fail for all
            self._wrong = e
            return f"verify threw {type(e).__name__}: {e}"
        finally:
            self.comparison.seconds[index] = time.perf_counter() - began

    def _take(self, index: int, measured: Mapping[str, Any], choosing: float) -> Taken:
        """Keeps what came of a configuration. Returns its cost, or the kind and the reason of its failure, and the runs that the cost was read from."""
        began = time.perf_counter()
        configuration = self.configurations.at(index)
        row = row_of(configuration, measured, self.is_time, self.comparison.seconds.pop(index, 0.0))
        self._add_numbers(row, measured)
        stamp(row, choosing, time.perf_counter() - began)
        row = {name: plain(value) for name, value in row.items()}
        cost, kind, why = self._cost(row, measured), measured["kind"], measured["why"]
        if isinstance(cost, Failed) and not self.objective:  # a function returned what is no cost
            kind, why = cost.kind, cost.why
        self._keep(index, row, kind, why)
        if self.cache is not None:
            self.cache.add(key_of(configuration), row)
        return cost, kind, why, self._runs(measured)

    def _add_numbers(self, row: dict[str, Any], measured: Mapping[str, Any]) -> None:
        """Adds what the device tells, and metrics, where the configuration ran."""
        if not measured["kind"]:
            if self.problem.sensed and self._pool is not None:
                row.update(columns(self.problem.sensed, self._pool.value_names(), measured["values"]))
            add_metrics(row, self.metrics)

    def _keep(self, index: int, row: dict[str, Any], kind: str, why: str) -> None:
        if kind:
            self.failed[index] = (kind, why)
        else:
            self.rows[index] = row

    def _cost(self, row: Mapping[str, Any], measured: Mapping[str, Any]) -> float | Failed:
        """What the search lowers: the objective, else the mean of the fastest quarter of the runs, which disturbances only slow down."""
        if measured["kind"]:
            return NOTHING
        if self.objective:
            return self.objective.cost(row)
        return cost_of(_core.cost_of_times(measured["times"]) if self.is_time else row["time"], False)

    def _runs(self, measured: Mapping[str, Any]) -> list[float]:
        """The runs that a cost was read from, for the log; none where it is an objective."""
        return [] if measured["kind"] or self.objective else list(measured["times"])

    def _remembered(self, index: int) -> Taken | None:
        """What the cache has of a configuration, as `_take` gives it."""
        if self.cache is None:
            return None
        configuration = self.configurations.at(index)
        kept = self.cache.entries.get(key_of(configuration))
        if kept is None or ("__error__" not in kept and any(name not in kept for name in self.problem.sensed)):
            return None
        row = {**kept, **configuration, **{name: 0.0 for name in ("compile_time", "verification_time", "benchmark_time")}}
        kind = ""
        if "__error__" in row:
            kind = KINDS.get(str(row["__error__"]), "launch_error")
        else:
            row.setdefault("times", [row["time"]])
            add_metrics(row, self.metrics)
            stamp(row, 0.0, 0.0)
        why = f"failed before: {row.get('__error__')}" if kind else ""
        self._keep(index, row, kind, why)
        times = [float(t) / 1e3 if self.is_time else float(t) for t in row.get("times", [])]
        measured = {"kind": kind, "times": times}
        return self._cost(row, measured), kind, why, self._runs(measured)
