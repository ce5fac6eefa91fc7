# SPDX-License-Identifier: MIT
"""One call: a function and its space."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from os import PathLike

from . import _core
from ._call import Limits, check_function, limits_of
from ._drive import Calls, drive, left_by, through, with_values, workers_of
from ._instances import Instances
from ._space import Space, arguments_of, counted, shown
from ._tuner import Trials, Tuner, file_named, front_of, names_of, trials_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from concurrent.futures import Executor
    from typing import Any

    from ._call import Measured
    from ._space import Configuration


class FrontMember:
    """A configuration that no other is shown to beat in every goal."""

    __slots__ = ("configuration", "goals", "within")

    def __init__(self, configuration: Configuration, goals: dict[str, float], within: dict[str, tuple[float, float]]) -> None:
        self.configuration = configuration
        self.goals = goals
        self.within = within

    goals: dict[str, float]
    """The median of the race's rounds, by the goal's name."""
    within: dict[str, tuple[float, float]]
    """95 % for that median; without bounds where there were too few rounds."""

    def __repr__(self) -> str:
        return f"FrontMember({self.configuration}, {self.goals})"


class Verdict:
    """What may be said of the best configuration. `str` gives it in a line."""

    __slots__ = ("says", "kept", "tied", "slower_at_least", "confidence", "rounds", "rounds_to_separate", "_text", "_best", "_cost")

    def __init__(self, space: Space, says: _core._Verdict) -> None:
        self.says = says["says"]
        self.kept = says["kept"]
        self.tied = [space.at(i) for i in says["tied"]]
        self.slower_at_least = says["slower_at_least"]
        self.confidence = says["confidence"]
        self.rounds = says["rounds"]
        self.rounds_to_separate = says["rounds_to_separate"]
        self._text = says["text"]
        self._best = says["best"]
        self._cost = says["cost"]

    says: str
    """"separated" (every other finalist was shown to be slower), "tied", "unclear" (too few rounds to tell) or "not raced"."""
    kept: bool
    """Whether the best is the baseline because nothing was shown to be faster."""
    tied: list[Configuration]
    """The others that the race cannot tell from the best."""
    slower_at_least: float
    """Where separated: by how much the nearest other finalist is slower, as a share of the best cost."""
    confidence: float
    """That the claims of the race hold together."""
    rounds: int
    """Of the race, in each of which every finalist was measured once."""
    rounds_to_separate: int
    """With fewer the race tells none apart."""

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Verdict({self._text})"


class Race:
    """The last comparison: the finalists measured afresh, in turns."""

    __slots__ = ("best", "cost", "first_cost", "tied", "rounds", "front", "verdict")

    def __init__(self, best: Configuration, cost: float, first_cost: float, front: list[FrontMember], verdict: Verdict) -> None:
        self.best = best
        self.cost = cost
        self.first_cost = first_cost
        self.tied = [best, *verdict.tied]
        self.rounds = verdict.rounds
        self.front = front
        self.verdict = verdict

    best: Configuration
    """What the run ends with: of those that cannot be told apart, the one with the lowest cost, or the baseline."""
    cost: float
    """Its cost in the race."""
    first_cost: float
    """That of the baseline, else of the run's first configuration; infinity where it failed."""
    tied: list[Configuration]
    """Those that were not shown to be slower, the best first; with several goals, to be worse in all of them. It says nothing where `unclear`."""
    rounds: int
    """How often each was measured at most."""
    front: list[FrontMember]
    """With several goals the front, lowest cost first: the tied ones with all their goals; where `unclear` those that no other beats by the
    medians so far, of which none is shown. With one goal empty."""
    verdict: Verdict

    @property
    def rounds_to_separate(self) -> int:
        """With fewer rounds it tells none apart."""
        return self.verdict.rounds_to_separate

    @property
    def unclear(self) -> bool:
        """Whether there were too few rounds to tell any two apart."""
        return self.verdict.says == "unclear"

    def __repr__(self) -> str:
        return f"Race({self.best}, {self.cost:.6g}, {self.verdict})"


class Result:
    """What a run found."""

    def __init__(
        self, space: Space, record: _core.Record, facts: list[str], race: Race | None = None, stopped: str = "", taken: str = "",
        verdict: Verdict | None = None, instances: Mapping[str, float] | None = None, left_out: Iterable[str] = (),
    ) -> None:
        self.instances = dict(instances or {})
        self.left_out = list(left_out)
        self.space = space
        self.race = race
        self.verdict = verdict or Verdict(space, record.verdict(None, False))
        self.taken = taken
        self._record = record
        self._facts = facts
        self._stopped = stopped

    instances: dict[str, float]
    """Of a run over instances: what its best cost on each in the search, divided by what the first configuration cost there."""
    left_out: list[str]
    """The instances that the first configuration failed on, and why."""
    taken: str
    """What the run used of its `experience`, a line; empty without one."""
    verdict: Verdict
    """What may be said of the best: `print(found.verdict)`."""

    @property
    def best(self) -> Configuration:
        """The best configuration: of the race where there was one, or the baseline. Raises: Error that says why the trials failed."""
        return self.space.at(self._record.best() if self.verdict._best is None else self.verdict._best)

    @property
    def best_cost(self) -> float:
        """Its cost; else infinity."""
        return self._record.best_cost() if self.verdict._best is None else self.verdict._cost

    @property
    def trials(self) -> Trials:
        """All trials, failed ones included, in the order of their answers."""
        return trials_of(self.space, self._record)

    @property
    def seconds(self) -> float:
        """That the run took."""
        return self._record.seconds()

    @property
    def stopped(self) -> str:
        """Why it ended, in words."""
        return self._stopped or self._record.stopped()

    def front(self, *goals: str) -> Trials:
        """The trials that no other beats in every one of the goals, "cost" and names of numbers; without goals in all of them. By
        single measurements: with their noise."""
        return front_of(self.space, self._record, goals)

    def report(self, path: str | PathLike[str]) -> None:
        """Writes the run as one HTML page, which needs no network: the whole page, or what was there stays."""
        _core.write_text(file_named("the report", path), self._record.page(self._facts))

    def __reduce__(self) -> tuple[Any, ...]:
        return (_result_of, (self.space, self._record.state(), self._facts, self.race, self._stopped, self.taken, self.verdict, self.instances, self.left_out))

    def _repr_html_(self) -> str:
        """What a notebook shows: the best configuration and the tuning curve."""
        from base64 import b64encode
        from html import escape

        out = f"<p>{escape(repr(self))}</p>"
        if self._record.found():
            cells = "".join(f"<tr><th>{escape(str(k))}</th><td>{escape(str(v))}</td></tr>" for k, v in self.best.items())
            picture = b64encode(self._record.curve().encode()).decode()
            out += f'<table>{cells}</table><img alt="The tuning curve" style="max-width:100%" src="data:image/svg+xml;base64,{picture}">'
        return out

    def __repr__(self) -> str:
        """One line, with costs taken as seconds."""
        return self._record.text()


def _result_of(space: Space, state: tuple[Any, ...], *others: Any) -> Result:
    return Result(space, _core.Record(space._grid, state), *others)


class Progress:
    """A line: in a notebook and on a terminal, where it goes to standard error, it is rewritten; elsewhere there is one at each improvement."""

    def __init__(self, taken: str) -> None:
        import sys

        self._to = sys.stderr
        self._terminal = self._to is not None and self._to.isatty()
        self._cell = cell() if type(self._to).__module__.startswith("ipykernel.") else None
        self._next = 0.0  # when the cell is written again
        if self._to is not None and taken:
            self._to.write(taken + "\n")
        self._text = ""
        self._best = float("inf")
        self._trials = self._failed = 0

    def told(self, kind: str, best: float, seconds: float, beyond: str = "") -> None:
        self._trials += 1
        self._failed += bool(kind)
        better, self._best = best < self._best, best
        found = f", {beyond or f'best {best:.6g}'}" if best < float("inf") else ""
        self._text = f"{counted(self._trials, 'configuration')}, {self._failed} failed, {seconds:.1f} s{found}"
        if self._cell is not None:
            if seconds >= self._next:
                self._next = seconds + 0.2
                self._cell(self._text)
        elif self._to is not None and (self._terminal or better):
            self._to.write(f"\r\033[K{self._text}" if self._terminal else self._text + "\n")
            self._to.flush()

    def end(self) -> None:
        if self._cell is not None:
            self._cell(self._text)
        elif self._terminal:
            self._to.write("\r\033[K")


def cell() -> Callable[[str], None]:
    """What shows a text below the cell of a notebook, in the place of the one before."""
    from importlib import import_module

    display = import_module("IPython.display").display
    at = display({"text/plain": ""}, raw=True, display_id=True)
    return lambda text: at.update({"text/plain": text}, raw=True)


def facts_of(recipe: str, seed: int, taken: str) -> list[str]:
    return [f"strategy {recipe}", f"seed {seed}", f"tunekit {_core.version} from Python", *([taken] if taken else [])]


def check_call(who: str, f: Callable[..., Any], space: Space, *others: str) -> None:
    """Raises: Error where f does not take the parameters by name, as far as it says what it takes."""
    check_function(f)
    takes = arguments_of(f)
    if takes is None:
        return
    must = {name for name, needed in takes.items() if needed}
    names = [*space.names, *others]
    if not must <= set(names) <= set(takes):
        raise _core.Error(f"tunekit: {who}: the function takes {', '.join(takes) or 'nothing'}, want the parameters {', '.join(names)}")


def minimize(
    f: Callable[..., Any],
    space: Space | Mapping[str, Iterable[Any]],
    *,
    trials: int | None = None,
    seconds: float | None = None,
    patience: int | None = None,
    until: float | None = None,
    seed: int = 0,
    recipe: str = "combined",
    experience: str | PathLike[str] | Iterable[str | PathLike[str]] = (),
    begin_with: Iterable[Mapping[str, Any]] | Mapping[str, Any] = (),
    baseline: Mapping[str, Any] | None = None,
    may_be_worse: bool = False,
    log: str | PathLike[str] | None = None,
    resume: bool = False,
    executor: Executor | None = None,
    workers: int | None = None,
    isolated: bool | Limits = False,
    race: bool | None = None,
    progress: bool | Callable[[Tuner], object] = False,
    name: str = "run",
    numbers: Iterable[str] = (),
    objective: str = "",
    checks: bool = False,
    instances: Iterable[Any] | Mapping[str, Any] | None = None,
    instance_cost: str = "mean",
    every_instance: bool = False,
) -> Result:
    """Searches `space` for the configuration at which `f` is lowest.

        found = minimize(f, Space({"tile": [8, 16, 32], "unroll": [1, 2, 4]}), trials=100)
        found.best, found.best_cost

    `f` takes the parameters by name and returns a cost, a positive number such as seconds. What it raises is a failed
    trial, and so is a `Failed` that it raises or returns, a cost that is not positive, or what is no number. A run ends at `trials`, at `seconds`,
    after `patience` answers without improvement, with the first cost that is at most `until`, or where every configuration was tried; Ctrl-C and sys.exit in `f` end it
    with what it has.

    begin_with: configurations to measure first.
    baseline:   what is used today. It is measured first and takes part in the race, and the run ends with it unless another was
                shown to be faster: `found.verdict`. With `may_be_worse=True` it ends with what seems best.
    experience: logs, or folders of them, of what was measured before: of other sizes, other devices, other weeks. What it says
                is measured before it counts. A resumed run needs the same. What cannot be used is warned of; what is used stands
                in the result's `taken`, and with `progress=True` on standard error.
    log:        a file to which every event goes; with `resume`, what stands in it is not measured again.
    executor:   one of concurrent.futures, of Dask or of mpi4py, which makes as many calls at once as it has workers. What
                is proposed then depends on the order of the answers, too. A call that is lost with its worker is made
                once more; lost again, it is a failed trial.
    workers:    how many calls are out at once, where the executor does not tell, or should not decide.
    isolated:   each call in a child process of its own, within `Limits`: a crash or a hang is one failed trial.
    race:       as it is by default with a baseline: at the end, the best three and the baseline, or the first, are measured afresh in turns, and compared by
                the objective; with the recipe "parego", what is near the front, by every goal: `Race.front`. It takes 5 % of the seconds, up to 10 % where
                they do not tell two apart; without seconds as long as the run at most.
    numbers:    names of what f returns beside the cost, as `Measurement(cost, bytes=4096)`.
    objective:  what is lowered, of the cost and the numbers: "bytes", "2 * cost + 0.1 * bytes", "cost * bytes" or
                "cost where bytes <= 4096". The recipe "parego" lowers the cost and all numbers at once: see `Result.front`.
    checks:     for costs that are times: where a result may have been disturbed by something else on the machine, the best is
                called once more, and then what was slow. These calls are no trials.
    instances:  one configuration for all of these: f is called with each as the argument `instance`. The cost is the geometric mean of the
                ratios to the first configuration (`instance_cost="mean"`), the "sum" divided by its sum, or the "worst" ratio. Once one cannot
                win, the other instances are spared, unless `every_instance`: see `Result.instances`.
    progress:   a line on standard error, or a function of the tuner after each answer; where it returns true, the run ends.

    Raises: Error for wrong input, and where the first ten results are all no number.
    """
    if trials is None and seconds is None and patience is None and until is None:
        raise _core.Error("tunekit: minimize: has no budget, want trials, seconds, patience or until")
    if not isinstance(space, Space):
        space = Space(space)
    many = None if instances is None else Instances(instances, instance_cost, not every_instance, seed)
    if many is not None and (names_of(numbers) or objective or checks):
        raise _core.Error("tunekit: minimize: instances make one cost, a ratio: want them without numbers, objective and checks")
    if many is not None and "instance" in space.names:
        raise _core.Error("tunekit: minimize: the parameter instance has the name of the argument for instances, want another name")
    check_call("minimize", f, space, *(() if many is None else ("instance",)))
    if not isinstance(progress, bool) and not callable(progress):
        raise _core.Error(f"tunekit: progress is {shown(progress)}, want True, False or a function of the tuner")
    limits = limits_of(isolated)
    at_once = workers_of(executor, workers)
    names = names_of(numbers)
    races = baseline is not None if race is None else race
    tuner = Tuner(
        space, recipe=recipe, experience=experience, trials=trials, seconds=searching(seconds, races), patience=patience, until=until, seed=seed, log=log, resume=resume, name=name,
        numbers=names, objective=objective, checks=checks,
    )
    today = None if baseline is None else space.index(baseline)
    if baseline is not None:
        first = [begin_with] if isinstance(begin_with, Mapping) else begin_with
        begin_with = [baseline, *(c for c in first if space.index(c) != today)]
    if begin_with != ():
        tuner.begin_with(begin_with)
    if many is not None:
        tuner._run.runs_on(many.meaning())
        many.over.know(tuner._run.record())
    line = Progress(tuner.taken) if progress is True else None
    watch = progress if callable(progress) else None

    def work(task: int, index: int) -> tuple[Callable[..., Any], Configuration]:
        if many is None:
            return f, space.at(index)
        index, more = many.parts(index)
        return f, {**space.at(index), **more}

    def told(kind: str, stamp: float) -> None:
        if line is not None:
            line.told(kind, tuner.best_cost, stamp, tuner._run.beyond_limit())
        if watch is not None and watch(tuner):
            tuner.stop()

    stopped = ""
    compared = None
    with tuner:
        calls = Calls(work, limits, executor, at_once)
        try:
            drive(tuner._run, calls, told, names, many)
            record = tuner._run.record()
            if races:
                several = recipe == "parego" and bool(names) and not objective
                again = partial(calls.made, 0) if many is None else partial(made_on_all, many.on_all(record), calls)
                compared = compare(space, record, again, seconds, names, several, today, may_be_worse)
                tuner._run.conclude(record)
        except (KeyboardInterrupt, SystemExit) as e:
            if tuner.best_cost == float("inf"):
                raise
            stopped = left_by(e)
            record = tuner._run.record()
        finally:
            calls.close()
            if line is not None:
                line.end()
    verdict = compared.verdict if compared is not None else Verdict(space, record.verdict(today, not may_be_worse))
    found = Result(space, record, facts_of(recipe, seed, tuner.taken), compared, stopped, tuner.taken, verdict)
    if many is not None:
        found.left_out = many.over.left_out()
        if record.found():
            found.instances = many.of_best(record, record.best() if verdict._best is None else verdict._best)
    return found


def made_on_all(over: _core.Over, calls: Calls, index: int) -> Measured:
    """What comes of a candidate on all instances, as a call gives it."""
    whole = through(over, calls, index)
    return whole.cost, whole.kind, whole.why, whole.seconds, {}


def searching(seconds: float | None, races: bool) -> float | None:
    """What is left of the seconds of a run for its search, which a race ends."""
    return seconds if seconds is None or not races else (1 - _core.KEPT_FOR_RACE) * seconds


def compare(
    space: Space, record: _core.Record, again: Callable[[int], Measured], seconds: float | None, names: list[str], several: bool = False,
    baseline: int | None = None, may_be_worse: bool = False,
) -> Race | None:
    """The race of the best, or of the front of several goals, and the baseline or the first, at the end of so many seconds; None where nothing
    was found, there was no time, or all of them fail."""
    if not record.found():
        return None
    untuned = record.trials()[0]["index"] if baseline is None else baseline

    def measured(i: int) -> _core._Measured:
        cost, kind, why, took, values = with_values(names, again(i))
        return {"cost": cost, "kind": kind, "why": why, "seconds": took, "values": values}

    goals = ["cost", *names] if several else []
    front = record.race(measured, untuned=untuned, seconds=float("inf") if seconds is None else seconds, goals=list(range(len(goals))))
    ends = record.verdict(untuned, baseline is not None and not may_be_worse)
    if ends["best"] is None or ends["rounds"] == 0:
        return None
    members = [FrontMember(space.at(i), dict(zip(goals, values)), dict(zip(goals, within))) for i, values, within in front]
    return Race(space.at(ends["best"]), ends["cost"], ends["untuned_cost"], members, Verdict(space, ends))
