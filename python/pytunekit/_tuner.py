# SPDX-License-Identifier: MIT
"""Ask and tell: a run that you drive."""

from __future__ import annotations

import sys
import time
import warnings
from _thread import allocate_lock
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike, fsdecode

from . import _core
from ._space import Space, counted, pythons, shown, text, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias, overload

    from ._space import Configuration

    Outcome: TypeAlias = float | "Measurement" | "Failed"
    """A cost, or why it is missing."""
else:

    def overload(f):
        return f


UNLIMITED = 2**64 - 1


class Failed(Exception):
    """A trial without a cost. Raise it, return it, or tell it.

        return Failed("element 5 is 0.37, want 1.37", kind="wrong_result")

    Kinds are the C++ library's, as logs and pages have them: invalid, build_error, build_timeout, crash, exited,
    run_timeout, out_of_memory, wrong_result, damaged_canary, launch_error, bad_cost, lost.
    """

    def __init__(self, why: str = "", kind: str = "invalid") -> None:
        super().__init__(why)
        self.why = why
        self.kind = kind

    def __reduce__(self) -> tuple[Any, ...]:
        return (Failed, (self.why, self.kind))


class Measurement:
    """A cost with numbers beside it, such as bytes or joules. Return it, or tell it.

        return Measurement(seconds, bytes=4096)

    The names are those that the run was given as `numbers`; one that is left out was not measured.
    """

    __slots__ = ("cost", "numbers")

    def __init__(self, cost: float, **numbers: float) -> None:
        self.cost = cost
        self.numbers = {name: number(f"the number {name}", value) for name, value in numbers.items()}

    cost: float
    numbers: dict[str, float]

    def __repr__(self) -> str:
        return f"Measurement({self.cost}{''.join(f', {name}={value}' for name, value in self.numbers.items())})"


class Job:
    """A configuration on its way to be measured. Its tuner takes a copy's answer, such as one that went to another process and back, as its own."""

    __slots__ = ("configuration", "_job", "_asked")

    def __init__(self, configuration: Configuration, job: _core.Job, asked: float) -> None:
        self.configuration = configuration
        self._job = job
        self._asked = asked

    def __getitem__(self, name: str) -> Any:
        """The value of a parameter."""
        return self.configuration[name]

    @property
    def index(self) -> int:
        """That of its configuration in the space."""
        return self._job.index

    @property
    def ticket(self) -> int:
        """Its number in the run."""
        return self._job.ticket

    def __repr__(self) -> str:
        return f"Job({self.ticket}, {self.configuration})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_job_of, (self.configuration, self.index, self._job.task, self.ticket, self._asked))


def _job_of(configuration: Configuration, index: int, task: int, ticket: int, asked: float) -> Job:
    return Job(configuration, _core.Job(index, task, ticket), asked)


class Trial:
    """A configuration and what measuring it gave."""

    __slots__ = ("configuration", "index", "cost", "at_least", "failed", "kind", "stamp", "seconds", "worker", "numbers")

    def __init__(self, configuration: Configuration, others: _core._Trial) -> None:
        self.configuration = configuration
        for name, value in others.items():
            setattr(self, name, value)

    index: int
    """That of the configuration in the space."""
    cost: float | None
    """None where it failed."""
    at_least: bool
    """Whether it was cut short, as a log of `tune_command` may have it: `cost` is then a bound, the true cost is not below."""
    kind: str
    """That of the failure; empty where there is a cost."""
    failed: str
    """Why; empty where there is a cost."""
    stamp: float
    """The run's time at its answer, in seconds."""
    seconds: float
    """That measuring took."""
    worker: int
    numbers: dict[str, float]
    """Those beside the cost by their names; with an objective also "cost", the cost that was measured."""

    def __repr__(self) -> str:
        numbers = "".join(f", {name}={value:.6g}" for name, value in self.numbers.items())
        cost = f"{'at least ' if self.at_least else ''}{self.cost}"
        return f"Trial({self.configuration}, {cost if self.cost is not None else self.kind + ': ' + self.failed}{numbers})"


class Trials(list[Trial]):
    """The trials of a run in the order of their answers."""

    def to_frame(self) -> Any:
        """They as a pandas.DataFrame: a column for each parameter, then cost, at_least, kind, failed, stamp, seconds, worker."""
        from importlib import import_module

        pandas: Any = import_module("pandas")  # not for mypy, which may be without it
        names = list(self[0].configuration) if self else []
        columns: dict[str, list[Any]] = {name: [t.configuration[name] for t in self] for name in names}
        for what in ("cost", "at_least", "kind", "failed", "stamp", "seconds", "worker"):
            columns[what] = [getattr(t, what) for t in self]
        for name in {name: None for t in self for name in t.numbers}:
            columns[f"measured {name}" if name in columns else name] = [t.numbers.get(name, float("nan")) for t in self]
        frame = pandas.DataFrame(columns)
        frame["cost"] = frame["cost"].astype(float)
        return frame


def trials_of(space: Space, record: _core.Record) -> Trials:
    return Trials(Trial(space.at(trial["index"]), trial) for trial in record.trials())


def front_of(space: Space, record: _core.Record, goals: Iterable[str]) -> Trials:
    """The trials that no other beats in every goal."""
    names = ["cost", *record.numbers()]
    wanted = [text("goals", g) for g in ([goals] if isinstance(goals, str) else goals)] or list(dict.fromkeys(names))
    for name in wanted:
        if name not in names:
            raise _core.Error(f"tunekit: front: no number is called {shown(name)}, want one of {', '.join(names)}")
    at = {trial.index: trial for trial in trials_of(space, record)}
    return Trials(at[i] for i in record.front([names.index(name) for name in wanted]) if i in at)


def names_of(numbers: Iterable[str]) -> list[str]:
    if isinstance(numbers, str):
        numbers = [numbers]
    return [text("numbers", name) for name in numbers]


def values_of(names: list[str], numbers: Mapping[str, float]) -> list[float]:
    """The numbers in the order of their names. Raises: Error for one that the run does not have."""
    for name in numbers:
        if name not in names:
            raise _core.Error(f"tunekit: the measurement has a number {shown(name)}, want numbers={[*names, name]} where the run begins")
    return [numbers.get(name, float("nan")) for name in names] if numbers else []


def parts_of(outcome: Any) -> tuple[float, str, str, dict[str, float]]:
    """A cost, or kind and message of a failure, and the numbers beside it."""
    if isinstance(outcome, Failed):
        return float("nan"), written(outcome.kind), written(outcome.why), {}
    if isinstance(outcome, Measurement):
        return (*parts_of(outcome.cost)[:3], outcome.numbers)
    return number("the cost", outcome, 'a positive number, or Failed("why")'), "", "", {}


def check_job(who: str, job: object) -> None:
    if not isinstance(job, Job):
        raise _core.Error(f"tunekit: tuner: {who} has {shown(job)}, want a job that ask gave")


def count(name: str, value: int | None, least: int = 0) -> int:
    if value is None:
        return UNLIMITED
    value = pythons(value)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value < UNLIMITED:
        raise _core.Error(f"tunekit: {name} is {shown(value)}, want an integer from {least} on")
    return value


def number(name: str, value: Any, wanted: str = "a number") -> float:
    plain = pythons(value)
    if not isinstance(plain, (bool, str, bytes, bytearray)) and not getattr(plain, "shape", ()):
        try:
            return float(plain)
        except Exception:  # whatever such an object has to say
            pass
    raise _core.Error(f"tunekit: {name} is {shown(value)}, want {wanted}")


def seconds_of(value: float | None) -> float:
    return float("inf") if value is None else number("seconds", value)


def until_of(value: float | None) -> float:
    return 0.0 if value is None else number("until", value)


def file_named(what: str, path: str | PathLike[str]) -> str:
    """The name of a file. Raises: Error for what is none."""
    name = text(what, fsdecode(path) if isinstance(path, (str, bytes, PathLike)) else path)
    if "\0" in name:  # where C would end it
        raise _core.Error(f"tunekit: {what} is {shown(path)}, want a name of a file, without a NUL")
    return name


def path_of(log: str | PathLike[str] | None) -> str:
    return "" if log is None else file_named("log", log)


def paths_of(experience: str | PathLike[str] | Iterable[str | PathLike[str]], log: str | PathLike[str] | None) -> list[str]:
    if isinstance(experience, (str, bytes, PathLike)):
        experience = [experience]
    paths = [file_named("experience", path) for path in experience]
    for note in _core.experience_notes(paths, path_of(log)) if paths else []:
        warnings.warn(note, stacklevel=callers_level())
    return paths


def callers_level() -> int:
    """The `stacklevel` of the line outside of this package that called it."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(__package__ + "."):
        level, frame = level + 1, frame.f_back
    return level


class Remembered(_core.Run):
    """A run that remembers what was done to it, by which another does the same."""

    def __init__(self, *args: Any, **how: Any) -> None:
        super().__init__(*args, **how)
        self.done: list[tuple[str, tuple[Any, ...]]] = []
        self._lock = allocate_lock()  # the order is that in which it happened

    def begin_with(self, first: list[int], /) -> None:
        with self._lock:
            super().begin_with(first)
            self.done.append(("begin_with", (first,)))

    def know(self, i: int, *, cost: float, kind: str, why: str, values: list[float]) -> None:
        with self._lock:
            super().know(i, cost=cost, kind=kind, why=why, values=values)
            self.done.append(("know", (i, cost, kind, why, values)))

    def ask(self, worker: int, n: int, /) -> list[_core.Job]:
        with self._lock:
            jobs = super().ask(worker, n)
            self.done.append(("ask", (worker, n)))
        return jobs

    def tell(
        self, job: _core.Job, *, cost: float, kind: str, why: str, values: list[float], seconds: float, stamp: float, worker: int,
        runs: list[float] = [],
    ) -> None:
        with self._lock:
            super().tell(job, cost=cost, kind=kind, why=why, values=values, seconds=seconds, stamp=stamp, worker=worker, runs=runs)
            self.done.append(("tell", (job.ticket, cost, kind, why, values, seconds, stamp, worker, runs)))

    def reads_costs(self, how: str, *, by_times: bool) -> None:
        with self._lock:
            super().reads_costs(how, by_times=by_times)
            self.done.append(("reads_costs", (how, by_times)))

    def tell_whole(self, job: _core.Job, whole: _core.OnItsWay, stamp: float, worker: int, /) -> None:
        with self._lock:
            super().tell_whole(job, whole, stamp, worker)
            self.done.append(("tell_whole", (job.ticket, whole, stamp, worker)))

    def drop(self, j: _core.Job, /) -> None:
        with self._lock:
            super().drop(j)
            self.done.append(("drop", (j.ticket,)))

    def time(self, stamp: float, /) -> None:
        with self._lock:
            super().time(stamp)
            self.done.append(("time", (stamp,)))

    def stop(self) -> None:
        with self._lock:
            super().stop()
            self.done.append(("stop", ()))

    def do(self, what: list[tuple[str, tuple[Any, ...]]]) -> None:
        """Does what was done to another."""
        out: dict[int, _core.Job] = {}
        for name, args in what:
            if name == "ask":
                out.update((job.ticket, job) for job in self.ask(*args))
            elif name == "know":
                self.know(args[0], **dict(zip(("cost", "kind", "why", "values"), args[1:])))
            elif name == "tell":
                self.tell(out[args[0]], **dict(zip(("cost", "kind", "why", "values", "seconds", "stamp", "worker", "runs"), args[1:])))
            elif name == "reads_costs":
                self.reads_costs(args[0], by_times=args[1])
            elif name in ("drop", "tell_whole"):
                getattr(self, name)(out[args[0]], *args[1:])
            else:
                getattr(self, name)(*args)


class Tuner:
    """A run over one space, driven from outside: ask for jobs and tell their costs, in any order.

        tuner = Tuner(space, trials=200, seed=1)
        while (job := tuner.ask()) is not None:
            tuner.tell(job, measure(**job.configuration))
        print(tuner.best, tuner.best_cost)

    The seed and the order of events decide everything: the same told costs give the proposals of the C++ library. With
    `log`, every ask and tell is written as it happens; with `resume`, what is in the log is not measured again. A C++ run
    may resume it, by the same recipe and seed.

    `numbers` names what a `Measurement` tells beside the cost, and `objective` says what of it is lowered: "NAME",
    "2 * cost + 0.1 * NAME", "cost * NAME", "cost where NAME <= 5". The recipe "parego" lowers the cost and all of them at once, for `front`.

    With `checks`, for costs that are times, what may have been disturbed by something else on the machine is held back: `ask`
    hands out the best once more, and then what was slow, among the other jobs. These are no trials.

    Time is that of the wall since the first ask; `tell(..., stamp=)` gives another. Calls from several threads are safe.
    A log has one writer: it is free again after `close`, at the end of a `with`, or once the tuner is gone.
    A copy, by pickle too, does again what was done, which costs the same thinking; one with a log takes up the log.

    Raises: Error, with the message of the C++ library.
    """

    def __init__(
        self,
        space: Space | Mapping[str, Iterable[Any]],
        *,
        recipe: str = "combined",
        experience: str | PathLike[str] | Iterable[str | PathLike[str]] = (),
        trials: int | None = None,
        seconds: float | None = None,
        patience: int | None = None,
        until: float | None = None,
        seed: int = 0,
        log: str | PathLike[str] | None = None,
        resume: bool = False,
        name: str = "run",
        numbers: Iterable[str] = (),
        objective: str = "",
        checks: bool = False,
    ) -> None:
        self._numbers = names_of(numbers)
        paths = paths_of(experience, log)
        self.space = space if isinstance(space, Space) else Space(space)
        self.recipe = recipe
        self.seed = count("seed", seed)
        self._arguments: dict[str, Any] = {
            "space": self.space, "recipe": recipe, "experience": paths, "trials": trials, "seconds": seconds, "patience": patience,
            "until": until, "seed": seed, "log": log, "resume": log is not None, "name": name, "numbers": self._numbers, "objective": objective, "checks": checks,
        }
        self._closed = False
        self._run = Remembered(
            self.space._grid, recipe=text("recipe", recipe), experience=paths, trials=count("trials", trials),
            seconds=seconds_of(seconds), patience=count("patience", patience), until=until_of(until), seed=self.seed, name=text("name", name), log=path_of(log),
            resume=bool(resume), numbers=self._numbers, objective=text("objective", objective), checks=bool(checks),
        )
        self._began: float | None = None

    def begin_with(self, configurations: Iterable[Mapping[str, Any]] | Mapping[str, Any]) -> None:
        """What to measure first, such as what is used today. Each counts as a trial."""
        if isinstance(configurations, Mapping):
            configurations = [configurations]
        if not isinstance(configurations, Iterable):
            raise _core.Error(f"tunekit: begin_with is {shown(configurations)}, want configurations: names with a value each")
        self._run.begin_with([self.space.index(c) for c in configurations])

    def know(self, configuration: Mapping[str, Any], outcome: Outcome) -> None:
        """Tells a result that is known before the run. It is no trial, and is not measured again. Of two results of a
        configuration the first counts."""
        cost, kind, why, numbers = parts_of(outcome)
        self._run.know(self.space.index(configuration), cost=cost, kind=kind, why=why, values=values_of(self._numbers, numbers))

    @overload
    def ask(self) -> Job | None: ...
    @overload
    def ask(self, n: int) -> list[Job]: ...
    def ask(self, n: int | None = None) -> Job | None | list[Job]:
        """The next job, or up to n. None, or none: wait while anything is out; where nothing is, the run has ended."""
        if self._began is None:
            self._began = time.perf_counter() - self._run.stamp()
        self._run.time(self._stamp())
        jobs = self._run.ask(0, 1 if n is None else count("n", n))
        asked = self._stamp()
        out = [Job(self.space.at(j.index), j, asked) for j in jobs]
        return out if n is not None else out[0] if out else None

    def tell(self, job: Job, outcome: Outcome, *, seconds: float | None = None, stamp: float | None = None) -> None:
        """Reports a job's cost, a positive number, or its failure.

        `seconds` that measuring took, by default those since it was asked for; `stamp`, the run's time in seconds.
        """
        check_job("tell", job)
        now = self._stamp() if stamp is None else number("stamp", stamp)
        took = max(0.0, now - job._asked) if seconds is None else number("seconds", seconds)
        cost, kind, why, numbers = parts_of(outcome)
        self._run.tell(job._job, cost=cost, kind=kind, why=why, values=values_of(self._numbers, numbers), seconds=took, stamp=now, worker=0)

    def drop(self, job: Job) -> None:
        """Gives up a job that was lost; it goes out again before anything new."""
        check_job("drop", job)
        self._run.drop(job._job)

    def stop(self) -> None:
        """Ends the run. Jobs that are out may still be told."""
        self._run.stop()

    def close(self) -> None:
        """Ends the run and its log, which another may then take up; what was found stays. Closing again does nothing."""
        self._closed = True
        self._run.close()

    def __reduce__(self) -> tuple[Any, ...]:
        if self.outstanding:
            raise _core.Error(f"tunekit: tuner: is copied with {counted(self.outstanding, 'job')} out, want them told or dropped before")
        logged = self._arguments["log"] is not None
        done = [one for one in self._run.done if not logged or one[0] in ("begin_with", "know")]
        return (_tuner_of, (self._arguments, done, self._closed))

    def __enter__(self) -> Tuner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def over(self) -> bool:
        """Whether nothing is out, and nothing will go out again."""
        return self._run.over()

    @property
    def outstanding(self) -> int:
        """How many jobs are out."""
        return self._run.outstanding()

    @property
    def best(self) -> Configuration:
        """The configuration of the lowest cost. Raises: Error that says why the trials failed, if all did."""
        return self.space.at(self._run.best())

    @property
    def best_cost(self) -> float:
        """The lowest cost; infinity before there is one."""
        return self._run.best_cost()

    @property
    def taken(self) -> str:
        """What is used of `experience`, a line; empty without one."""
        return self._run.taken()

    @property
    def trials(self) -> Trials:
        """All trials, failed ones included."""
        return trials_of(self.space, self._run.record())

    def front(self, *goals: str) -> Trials:
        """The trials that no other beats in every one of the goals, "cost" and names of numbers; without goals in all of them. By
        single measurements: with their noise."""
        return front_of(self.space, self._run.record(), goals)

    @property
    def stopped(self) -> str:
        """Why the run ended, in words; "running" while it has not."""
        return self._run.record().stopped()

    def _stamp(self) -> float:
        return time.perf_counter() - self._began if self._began is not None else 0.0

    def __repr__(self) -> str:
        return self._run.record().text()


def _tuner_of(arguments: dict[str, Any], done: list[tuple[str, tuple[Any, ...]]], closed: bool) -> Tuner:
    tuner = Tuner(**arguments)
    tuner._run.do(done)
    if closed:
        tuner.outstanding  # takes up the log
        tuner.close()
    return tuner
