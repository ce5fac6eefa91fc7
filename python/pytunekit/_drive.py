# SPDX-License-Identifier: MIT
"""The loop of minimize and minimize_tasks: asks, calls and tells, until the run has ended."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Generator, Mapping

from . import _core
from ._call import NO_RESULT, call, no_result
from ._space import pythons, shown
from ._tuner import callers_level, values_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from concurrent.futures import Executor, Future
    from typing import Any, TypeAlias

    from ._call import Limits, Measured
    from ._instances import Instances
    from ._zygote import Children, Work

    Answers: TypeAlias = Generator[tuple[_core.Job, Measured | _core.OnItsWay, int], None, None]
    """Jobs, what they gave, of several instances together, and the worker."""


def workers_of(executor: Executor | None, workers: int | None) -> int:
    """How many calls are out at once: `workers`, or as many as the executor says that it makes.

    The standard executors say it by `_max_workers`, executorlib's by `max_workers`, mpi4py's by `num_workers`, Dask's by the threads of its cluster. Of
    one that does not say it, Parsl's is such, one call is out at a time, with a warning.
    """
    workers = pythons(workers)
    if workers is not None and (isinstance(workers, bool) or not isinstance(workers, int) or not 1 <= workers <= MOST_WORKERS):
        raise _core.Error(f"tunekit: workers is {shown(workers)}, want an integer from 1 to {MOST_WORKERS}")
    if executor is None:
        if workers is not None and workers != 1:
            raise _core.Error(f"tunekit: workers is {workers} without an executor, want executor=, such as a ThreadPoolExecutor")
        return 1
    if not callable(getattr(executor, "submit", None)):
        raise _core.Error(f"tunekit: executor is {shown(executor)}, want one of concurrent.futures")
    if workers is not None:
        return workers
    for name in ("num_workers", "_max_workers", "max_workers"):
        n = getattr(executor, name, None)
        if isinstance(n, int) and n > 0:
            return n
    threads = getattr(getattr(executor, "_client", None), "nthreads", None)  # of each of Dask's workers
    n = sum(threads().values()) if callable(threads) else 0
    if isinstance(n, int) and n > 0:
        return n
    if getattr(executor, "num_workers", None) == 0:  # mpi4py's once it is shut down
        try:
            executor.submit(int).cancel()
        except RuntimeError as e:
            raise shut_down(e) from e
    warnings.warn(f"{shown(executor)} does not tell how many workers it has: one call is out at a time, unless workers=N says more", stacklevel=callers_level())
    return 1


MOST_WORKERS = 1_000_000


class Calls:
    """The calls of a run: here, each in a child process where there are limits, or by an executor."""

    def __init__(self, work: Work, limits: Limits | None, executor: Executor | None, at_once: int) -> None:
        self._work = work
        self._limits = limits
        self.executor = executor
        self.at_once = at_once
        self._children: Children | None = None
        if limits is not None and at_once <= MOST_CHANNELS and is_here(executor):
            from ._zygote import Children

            self._children = Children(work, limits, at_once)

    def made(self, task: int, index: int) -> Measured:
        """Makes a call, and waits for it."""
        if self.executor is not None:
            return self.begun(task, index).result()
        if self._children is not None:
            return self._children.call(task, index)
        return call(*self._parts(task, index))

    def begun(self, task: int, index: int) -> Future[Measured]:
        """Hands a call to the executor. Raises: Error where it takes none."""
        from concurrent.futures import BrokenExecutor

        assert self.executor is not None
        try:
            if self._children is not None:
                return self.executor.submit(self._children.call, task, index)
            return self.executor.submit(call, *self._parts(task, index))
        except BrokenExecutor as e:
            raise broken(e) from e
        except RuntimeError as e:
            raise shut_down(e) from e
        except Exception as e:
            raise _core.Error(f"tunekit: the executor takes no call: {type(e).__name__}: {e}, {REMEDY}") from e

    def close(self) -> None:
        """Ends what is out in children."""
        if self._children is not None:
            self._children.close()

    def _parts(self, task: int, index: int) -> tuple[Callable[..., Any], Limits | None, Mapping[str, Any]]:
        f, configuration = self._work(task, index)
        return f, self._limits, configuration


MOST_CHANNELS = 256


def is_here(executor: Executor | None) -> bool:
    """Whether it makes its calls in this process."""
    if executor is None:
        return True
    from concurrent.futures import ThreadPoolExecutor

    return isinstance(executor, ThreadPoolExecutor)


def one_by_one(run: _core._Driven, calls: Calls, over: _core.Over | None) -> Answers:
    while jobs := run.ask(0, 1):
        job = jobs[0]
        yield job, calls.made(job.task, job.index) if over is None else through(over, calls, job.index), 0


def through(over: _core.Over, calls: Calls, index: int) -> _core.OnItsWay:
    """Makes the calls of a candidate, on one instance after the other, and gives what came of them together."""
    whole = over.begin(index)
    while taken(over, whole, calls.made(0, over.next(whole))):
        pass
    return whole


def taken(over: _core.Over, whole: _core.OnItsWay, measured: Measured) -> bool:
    """Whether the candidate goes on, after what a call on one instance gave."""
    cost, kind, why, seconds = measured[:4]
    return over.take(whole, cost=cost, kind=kind, why=why, seconds=seconds)


def at_once(run: _core._Driven, calls: Calls, over: _core.Over | None) -> Answers:
    """The same with several jobs out. One that is lost with what carried it goes out once more."""
    from concurrent.futures import FIRST_COMPLETED, wait

    out: dict[Future[Measured], tuple[_core.Job, int, int, _core.OnItsWay | None]] = {}
    lost: set[tuple[int, int]] = set()  # task and number of a call
    free = list(range(calls.at_once))

    def begin(job: _core.Job, worker: int, whole: _core.OnItsWay | None) -> None:
        number = job.index if over is None or whole is None else over.next(whole)
        out[calls.begun(job.task, number)] = (job, worker, number, whole)

    try:
        while True:
            while free and (over is None or over.begun() or not out) and (jobs := run.ask(free[0], 1)):
                begin(jobs[0], free.pop(0), None if over is None else over.begin(jobs[0].index))
            if not out:
                return
            for future in sorted(wait(out, return_when=FIRST_COMPLETED).done, key=lambda done: out[done][0].ticket):
                job, worker, number, whole = out[future]
                why = loss_of(future)
                key = (job.task, number)
                again = bool(why) and key not in lost and not why.startswith(TRIED_ELSEWHERE)
                gone: Measured = (float("nan"), "lost", f"was lost with its worker: {why}", 0.0, {})
                measured = gone if why else future.result()
                if again:
                    lost.add(key)
                if over is None or whole is None:
                    if again:
                        run.drop(job)
                    else:
                        yield job, measured, worker
                elif again or taken(over, whole, measured):
                    del out[future]
                    begin(job, worker, whole)
                    continue
                else:
                    yield job, whole, worker
                free.append(out.pop(future)[1])
    finally:
        # What is out stays so in the log, and goes out again when the run is taken up: an interrupt loses nothing.
        for future in out:
            future.cancel()


TRIED_ELSEWHERE = "KilledWorker"  # Dask's, once several workers have died of a job


def shut_down(e: RuntimeError) -> _core.Error:
    return _core.Error(f"tunekit: the executor takes no call: {e}, want one that is not shut down")


REMEDY = "want a function at the top of a module, or an executor of threads"


def broken(e: BaseException) -> _core.Error:
    return _core.Error(f"tunekit: the executor broke: {e} (isolated=True keeps functions that crash apart)")


def loss_of(future: Future[Measured]) -> str:
    """Why a call gave nothing, where it went down with what carried it. Raises: Error for what another worker would not mend."""
    from concurrent.futures import BrokenExecutor, CancelledError
    from pickle import PicklingError

    try:
        e = future.exception()
    except CancelledError as cancelled:
        e = cancelled
    if e is None:
        return ""
    if isinstance(e, (_core.Error, KeyboardInterrupt, SystemExit)):
        raise e
    if isinstance(e, BrokenExecutor):
        raise broken(e) from e
    if isinstance(e, (PicklingError, AttributeError, TypeError, ImportError)):  # as pickle has it, on either side
        raise _core.Error(f"tunekit: the function does not reach the executor's workers: {type(e).__name__}: {e}, {REMEDY}") from e
    return f"{type(e).__name__}: {e}"


def left_by(e: BaseException) -> str:
    """Why a run ended that was interrupted."""
    return f"the function left by SystemExit({shown(e.code)})" if isinstance(e, SystemExit) else "interrupted"


def drive(run: _core._Driven, calls: Calls, told: Callable[[str, float], None], names: list[str], instances: Instances | None = None) -> None:
    """`told(kind, stamp)` is called after each answer. `names` are those of the numbers beside the cost.

    Raises: Error where the first calls all gave no result: the function is none that returns a cost.
    """
    began = time.perf_counter() - run.stamp()
    over = None if instances is None else instances.over
    answers = one_by_one(run, calls, over) if calls.executor is None else at_once(run, calls, over)
    useless = 0
    try:
        for n, (job, measured, worker) in enumerate(answers, 1):
            now = time.perf_counter() - began
            if isinstance(measured, _core.OnItsWay):
                assert isinstance(run, _core.Run)
                run.tell_whole(job, measured, now, worker)
                told(measured.kind, now)
                continue
            cost, kind, why, took, values = with_values(names, measured)
            run.tell(job, cost=cost, kind=kind, why=why, values=values, seconds=took, stamp=now, worker=worker)
            if not job.check:
                told(kind, now)
            useless += why.startswith(NO_RESULT)
            if useless == n == MOST_USELESS:
                raise _core.Error(f"tunekit: each of the first {n} calls {why}")
    finally:
        answers.close()


MOST_USELESS = 10


def with_values(names: list[str], measured: Measured) -> tuple[float, str, str, float, list[float]]:
    """The numbers in the order of their names. One that the run does not have is a failure."""
    cost, kind, why, took, numbers = measured
    try:
        return cost, kind, why, took, values_of(names, numbers)
    except _core.Error as e:
        return float("nan"), "bad_cost", no_result(e), took, []
