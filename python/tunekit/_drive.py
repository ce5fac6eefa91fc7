# SPDX-License-Identifier: MIT
"""The loop of minimize and minimize_tasks: asks, calls and tells, until the run has ended."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping

from . import _core
from ._call import call
from ._space import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from concurrent.futures import Executor, Future
    from typing import Any, TypeAlias

    from ._call import Limits, Measured

    Work: TypeAlias = Callable[[_core.Job], tuple[Callable[..., Any], Mapping[str, Any]]]
    """The function and the configuration of a job."""
    Answers: TypeAlias = Generator[tuple[_core.Job, Measured, int], None, None]
    """Jobs, what they gave, and the worker."""


def workers_of(executor: Executor | None) -> int:
    """How many calls an executor makes at once. The standard ones tell it by `_max_workers`, mpi4py's by `num_workers`."""
    if executor is None:
        return 1
    if not callable(getattr(executor, "submit", None)):
        raise _core.Error(f"tunekit: executor is {shown(executor)}, want one of concurrent.futures")
    for name in ("num_workers", "_max_workers"):
        n = getattr(executor, name, None)
        if isinstance(n, int) and n > 0:
            return n
    raise _core.Error(f"tunekit: {shown(executor)} does not tell how many workers it has, want an executor with num_workers")


def one_by_one(run: _core._Driven, work: Work, limits: Limits | None) -> Answers:
    job: _core.Job | None = None
    try:
        while jobs := run.ask(0, 1):
            job = jobs[0]
            f, configuration = work(job)
            yield job, call(f, limits, configuration), 0
            job = None
    finally:
        give_up(run, [] if job is None else [job])


def at_once(run: _core._Driven, work: Work, limits: Limits | None, executor: Executor) -> Answers:
    """The same with as many jobs out as the executor has workers."""
    from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, wait

    out: dict[Future[Measured], tuple[_core.Job, int]] = {}
    free = list(range(workers_of(executor)))
    try:
        while True:
            while free and (jobs := run.ask(free[0], 1)):
                f, configuration = work(jobs[0])
                out[executor.submit(call, f, limits, configuration)] = (jobs[0], free.pop(0))
            if not out:
                return
            for future in sorted(wait(out, return_when=FIRST_COMPLETED).done, key=lambda done: out[done][0].ticket):
                yield out[future][0], future.result(), out[future][1]
                free.append(out.pop(future)[1])
    except BrokenExecutor as e:
        raise _core.Error(f"tunekit: the executor broke: {e} (isolated=True keeps functions that crash apart)") from e
    finally:
        for future in out:
            future.cancel()
        give_up(run, [job for job, _ in out.values()])


def give_up(run: _core._Driven, jobs: list[_core.Job]) -> None:
    """Drops jobs, of which an interrupt may have come just when one was told."""
    for job in jobs:
        try:
            run.drop(job)
        except _core.Error:
            pass


def drive(
    run: _core._Driven, work: Work, limits: Limits | None, executor: Executor | None, told: Callable[[str, float], None]
) -> None:
    """`told(kind, stamp)` is called after each answer."""
    began = time.perf_counter() - run.stamp()
    answers = one_by_one(run, work, limits) if executor is None else at_once(run, work, limits, executor)
    try:
        for job, (cost, kind, why, took), worker in answers:
            now = time.perf_counter() - began
            run.tell(job, cost, kind, why, took, now, worker)
            told(kind, now)
    finally:
        answers.close()
