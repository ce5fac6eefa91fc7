# SPDX-License-Identifier: MIT
"""Several functions that share one budget of time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from os import PathLike

from . import _core
from ._call import Limits, limits_of
from ._drive import Calls, drive, left_by, workers_of
from ._minimize import Progress, Result, check_call, facts_of
from ._space import Space, shown, text
from ._tuner import count, file_named, number, path_of, paths_of, seconds_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from concurrent.futures import Executor
    from typing import Any

    from ._space import Configuration


class Page(str):
    """A page that is written, as what makes it."""

    def __call__(self) -> str:
        return str(self)


class Plan:
    """What a run over several tasks found."""

    def __init__(self, tasks: dict[str, Result], latency: float, stopped: str, taken: str, page: Callable[[], str]) -> None:
        self.tasks = tasks
        self.latency = latency
        self.stopped = stopped
        self.taken = taken
        self._page = page

    tasks: dict[str, Result]
    """The result of each task, by its name."""
    latency: float
    """The sum of weight times best cost; infinity while a task has none."""
    stopped: str
    """Why the run ended, in words."""
    taken: str
    """What it used of its `experience`, a line; empty without one."""

    def __getitem__(self, name: str) -> Result:
        return self.tasks[name]

    def report(self, path: str | PathLike[str]) -> None:
        """Writes the run as one HTML page, which needs no network: the whole page, or what was there stays."""
        _core.write_text(file_named("the report", path), self._page())

    def __reduce__(self) -> tuple[Any, ...]:
        return (Plan, (self.tasks, self.latency, self.stopped, self.taken, Page(self._page())))

    def __repr__(self) -> str:
        return "\n".join(f"{name}: {result!r}" for name, result in self.tasks.items())


def minimize_tasks(
    tasks: Mapping[str, tuple[Callable[..., Any], Space | Mapping[str, Iterable[Any]]]],
    *,
    seconds: float | None = None,
    trials: int | None = None,
    patience: int | None = None,
    weights: Mapping[str, float] | None = None,
    seed: int = 0,
    recipe: str = "combined",
    experience: str | PathLike[str] | Iterable[str | PathLike[str]] = (),
    schedule: str | None = None,
    log: str | PathLike[str] | None = None,
    resume: bool = False,
    executor: Executor | None = None,
    workers: int | None = None,
    isolated: bool | Limits = False,
    progress: bool = False,
) -> Plan:
    """Searches several spaces within one budget. A schedule gives the next slot of time to the task that gains most.

        plan = minimize_tasks({"small": (f, space), "large": (g, space)}, seconds=60, weights={"large": 3})
        plan["large"].best, plan.latency

    `tasks` are functions and spaces by name, `weights` how often each is called: the sum of weight times cost is lowered.
    `trials` and `patience` are those of each task, `seconds` those of the run. `schedule` is one of `schedules()`, by
    default that of the recipe. The other arguments are those of `minimize`.

    Raises: Error for wrong input. Ctrl-C ends the run with what it has.
    """
    if trials is None and seconds is None and patience is None:
        raise _core.Error("tunekit: minimize_tasks: has no budget, want seconds, trials or patience")
    if not isinstance(tasks, Mapping) or not tasks:
        raise _core.Error(f"tunekit: minimize_tasks: {shown(tasks)} are not tasks, want names with a function and a space each")
    names = [text("the name of a task", name) for name in tasks]
    for name, task in tasks.items():
        if not isinstance(task, (tuple, list)) or len(task) != 2:
            raise _core.Error(f"tunekit: minimize_tasks: task '{name}' is {shown(task)}, want a function and its space")
    functions = [f for f, _ in tasks.values()]
    spaces = [space if isinstance(space, Space) else Space(space) for _, space in tasks.values()]
    for name, f, space in zip(names, functions, spaces):
        check_call(f"minimize_tasks: task '{name}'", f, space)
    limits = limits_of(isolated)
    at_once = workers_of(executor, workers)
    if not isinstance(weights, (Mapping, type(None))):
        raise _core.Error(f"tunekit: minimize_tasks: weights is {shown(weights)}, want a number for each name")
    for name in weights or {}:
        if name not in tasks:
            raise _core.Error(f"tunekit: minimize_tasks: weights names '{name}', which is not a task, want one of: {', '.join(names)}")
    run = _core.TasksRun(
        names=names, spaces=[s._grid for s in spaces], weights=[number(f"the weight of task '{n}'", (weights or {}).get(n, 1)) for n in names],
        recipe=text("recipe", recipe), experience=paths_of(experience, log), schedule="" if schedule is None else text("schedule", schedule),
        seconds=seconds_of(seconds), trials=count("trials", trials), patience=count("patience", patience), workers=at_once,
        seed=count("seed", seed), log=path_of(log), resume=bool(resume),
    )
    line = Progress(run.taken()) if progress else None

    def work(task: int, index: int) -> tuple[Callable[..., Any], Configuration]:
        return functions[task], spaces[task].at(index)

    def told(kind: str, stamp: float) -> None:
        if line is not None:
            line.told(kind, run.latency(), stamp)

    stopped = ""
    calls = Calls(work, limits, executor, at_once)
    try:
        drive(run, calls, told, [])
    except (KeyboardInterrupt, SystemExit) as e:
        if not any(run.record(k).found() for k in range(len(names))):
            raise
        stopped = left_by(e)
    finally:
        calls.close()
        run.close()
        if line is not None:
            line.end()
    facts = facts_of(recipe, seed, run.taken()) + ([f"schedule {schedule}"] if schedule else [])
    results = {name: Result(spaces[k], run.record(k), facts) for k, name in enumerate(names)}
    return Plan(results, run.latency(), stopped or run.stopped(), run.taken(), partial(run.page, facts))
