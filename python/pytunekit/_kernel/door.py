# SPDX-License-Identifier: MIT
"""`tune_kernel` and `run_kernel`: what a call says, put together."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from math import prod

from .. import _core
from .._minimize import Progress, Result, Verdict, compare, facts_of, searching
from .._space import pythons, shown
from .._tune_kernel import KernelResult
from .._tuner import Tuner, count
from .cache import Cache
from .launch import AXES
from .objective import Objective, checked_metrics
from .problem import Problem, Worker
from .refusals import refuse_clocks, refuse_observers, refuse_others
from .restrictions import Configurations, checked_parameters, configurations_of
from .results import environment
from .run import Run
from .sensed import asked_for
from .strategies import Search, search_of
from .texts import listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


MOST_ORDERED = 200_000


def speaker(quiet: Any) -> Callable[[str], None]:
    """What writes a line to standard error, or nothing. Warnings would be lost: scripts silence them."""
    return (lambda line: None) if quiet else (lambda line: print(line, file=sys.stderr))


def problem_of(call: Mapping[str, Any], parameters: Mapping[str, list[Any]], say: Callable[[str], None]) -> Problem:
    """The problem that a call of either function speaks of."""
    if call["platform"] and pythons(call["platform"]) != 0:
        raise _core.Error(f"tunekit: platform is {shown(call['platform'])}, want device= alone, which counts the devices of all platforms")
    if call["log"]:
        say("tunekit: log has no effect: log_file= keeps the run")
    same = ("kernel_name", "kernel_source", "lang", "problem_size", "arguments", "block_size_names", "smem_args", "cmem_args", "compiler", "compiler_options",
            "defines", "device", "limits")
    return Problem(parameters=parameters, divisors=[call[f"grid_div_{axis}"] for axis in AXES], say=say, **{name: call[name] for name in same})


def tune(call: Mapping[str, Any]) -> KernelResult:
    """`tune_kernel` with its arguments by their names."""
    if call["sizes"] is not None:
        from .sizes import tune_sizes

        return tune_sizes(call)
    return tuned(Door(call))


class Door:
    """What a call says, read and checked: nothing is built yet. `begin_with` are indices that are measured first, behind the baseline."""

    def __init__(self, call: Mapping[str, Any], begin_with: Sequence[int] = ()) -> None:
        self.call = call
        self.began = time.perf_counter()
        self.say = say = speaker(call["quiet"])
        refuse_others(call["simulation_mode"], call["texmem_args"], call["objectives"])
        refuse_observers(call["observers"])
        self.parameters = checked_parameters(call["tune_params"])
        refuse_clocks(self.parameters)
        metrics = checked_metrics(call["metrics"])
        self.objective = Objective(call["objective"], call["objective_higher_is_better"], metrics)
        self.search = search_of(call["strategy"], call["strategy_options"], call["trials"], call["seconds"], say)
        self.iterations = count("iterations", call["iterations"], 1)
        self.problem = problem = problem_of(call, self.parameters, say)
        problem.sensed = asked_for(metrics, self.objective.name, self.parameters, problem.language)
        comparison = problem.comparison(call["answer"], call["verify"], call["atol"])
        self.device = problem.about_device()
        limit = (problem.block_names, self.device["threads"]) if problem.usual_names else None
        self.configurations = configurations = configurations_of(self.parameters, call["restrictions"], limit, say)
        if self.search.everything:
            say(f"tunekit: measures all {len(configurations)} configurations; trials= or seconds= ends sooner")
        elif call["verbose"]:
            say(f"tunekit: {len(configurations)} of {prod(map(len, self.parameters.values()))} configurations fulfil the restrictions")
        self.first = first_of(call["baseline"], self.search, configurations)
        self.first += [index for index in begin_with if index not in self.first]
        self.cache = Cache(call["cache"], about(problem, self.parameters, self.objective, self.device)) if call["cache"] else None
        self.run = Run(
            problem=problem, configurations=configurations, comparison=comparison, iterations=self.iterations,
            compilers=count_of(call["compilers"], call["parallel"]), objective=self.objective, metrics=metrics, cache=self.cache,
            seconds=searching(self.search.seconds, races(call)),
        )

    run: Run
    """What builds and runs configurations, from the first that is asked for until it is closed."""


def tuned(door: Door) -> KernelResult:
    """The search that a call asks for."""
    call, say, run, objective = door.call, door.say, door.run, door.objective
    configurations = door.configurations
    try:
        found = searched(call, run, door.search, door.first, say)
    finally:
        run.close()
        if door.cache is not None:
            door.cache.close()
    rows = sorted_rows(run, door.search.everything or len(run.rows) + len(run.failed) == len(configurations))
    if not rows:
        raise nothing(run)
    if run.failed:
        index, (kind, why) = next(iter(run.failed.items()))
        say(f"tunekit: {len(run.failed)} of {len(run.failed) + len(rows)} configurations failed and are not among the results, "
            f"the first {listed(configurations.at(index))}: {kind}: {why}")
    env = environment(door.device, door.iterations, door.problem.given_options, rows, time.perf_counter() - door.began)
    env["best_config"] = objective.best(rows)
    renamed = {name: {str(value): value for value in values if isinstance(value, tuple)} for name, values in door.parameters.items()}
    out = KernelResult(rows, env, found, {name: values for name, values in renamed.items() if values})
    if any(env["best_config"].get(name) != value for name, value in out.best.items()):
        say(f"tunekit: found.best is {listed(out.best)}, {'of the race' if out.race else 'by the fastest quarter of its runs'}; env['best_config'] has the best {objective.name}")
    return out


def races(call: Mapping[str, Any]) -> bool:
    """Whether a race ends the run."""
    return call["baseline"] is not None if call["race"] is None else bool(call["race"])


def searched(call: Mapping[str, Any], run: Run, search: Search, first: list[int], say: Callable[[str], None]) -> Result:
    """The search, and the race where one is wanted."""
    configurations = run.configurations
    seed = count("seed", call["seed"] or 0)
    tuner = Tuner(
        configurations.space, recipe=search.recipe, experience=call["experience"], trials=search.trials or len(configurations),
        seconds=searching(search.seconds, races(call)), until=run.good_enough(call["until"]), seed=seed,
        log=call["log_file"], resume=call["resume"], name=run.problem.name,
    )
    if first:
        tuner._run.begin_with(first)
    baseline = first[0] if call["baseline"] is not None else None
    line = None if call["quiet"] else Progress(tuner.taken)
    stopped, raced = "", None

    def told(index: int, kind: str, why: str, stamp: float) -> None:
        if line is not None:
            line.told(kind, tuner.best_cost, stamp)
        if kind and call["verbose"]:
            say(f"tunekit: {listed(configurations.at(index))}: {kind}: {why}")

    with tuner:
        try:
            run.search(tuner, told)
            record = tuner._run.record()
            if races(call):
                raced = compare(configurations.space, record, run.again, search.seconds, [], False, baseline, False)
                tuner._run.conclude(record)
        except KeyboardInterrupt:
            if not run.rows:
                raise
            stopped, record = "interrupted", tuner._run.record()
        finally:
            if line is not None:
                line.end()
    verdict = raced.verdict if raced is not None else Verdict(configurations.space, record.verdict(baseline, baseline is not None))
    return Result(configurations.space, record, facts_of(search.recipe, seed, tuner.taken), raced, stopped, tuner.taken, verdict)


def run(call: Mapping[str, Any]) -> list[Any]:
    """`run_kernel` with its arguments by their names."""
    if not isinstance(call["params"], Mapping):
        raise _core.Error(f"tunekit: params is {shown(call['params'])}, want a dict of names with a value each")
    if call["texmem_args"]:
        refuse_others(None, call["texmem_args"], None)
    values = {name: pythons(value) for name, value in call["params"].items()}
    problem = problem_of(call, {name: [value] for name, value in values.items()}, speaker(call["quiet"]))
    if len(problem.devices) != 1:
        raise _core.Error(f"tunekit: device is {shown(call['device'])}, want the number of one: run_kernel launches once")
    problem.about_device()
    instance = problem.instance(values)
    worker = Worker()
    try:
        done, contents = _core.run_kernel(instance=instance, **problem.engine(values, 1, worker))
    finally:
        worker.close()
    if done["kind"]:
        raise RuntimeError(f"tunekit: {problem.name}: {done['kind']}: {done['why']}")
    return problem.results(contents)


def about(problem: Problem, parameters: Mapping[str, list[Any]], objective: Objective, device: Mapping[str, Any]) -> dict[str, Any]:
    """The head of a cache file. Kernel Tuner has no name for the processor, where functions of C run; ours stands beside."""
    size = problem.launch.given_size
    host = problem.language == "C"
    head = {
        "device_name": "" if host else device["name"], "kernel_name": problem.name, "problem_size": "callable" if callable(size) else pythons_of(size),
        "tune_params_keys": list(parameters), "tune_params": dict(parameters), "objective": objective.name,
    }
    return head | ({"tunekit_processor": device["name"]} if host else {})


def pythons_of(size: Any) -> Any:
    size = size.tolist() if hasattr(size, "tolist") else size
    return [pythons(n) for n in size] if isinstance(size, (list, tuple)) else size


def first_of(baseline: Any, search: Search, configurations: Configurations) -> list[int]:
    """What is measured first: the baseline, then where the search is to begin."""
    first = [] if baseline is None else [configurations.index(baseline)]
    if search.begin_with is not None:
        start = list(search.begin_with)
        if len(start) != len(configurations.parameters):
            raise _core.Error(f"tunekit: strategy_options: x0 is {shown(start)}, want a value for each of {', '.join(configurations.parameters)}")
        index = configurations.index(dict(zip(configurations.parameters, start)))
        first += [index] if index not in first else []
    if search.recipe == "grid" and len(configurations) <= MOST_ORDERED:  # which has the first parameter fastest
        first += [index for index in sorted(range(len(configurations)), key=configurations.place) if index not in first[:2]]
    return first


def count_of(compilers: Any, parallel: Any) -> int:
    """How many compilers work at once; 0: as many as there are processors."""
    if compilers is not None:
        return count("compilers", compilers, 1)
    return count("parallel", parallel, 1) if parallel and not isinstance(parallel, bool) else 0


def sorted_rows(run: Run, in_order: bool) -> list[dict[str, Any]]:
    """The rows as they came; where all were measured, by the places of their values, the first parameter slowest."""
    if not in_order:
        return list(run.rows.values())
    return [run.rows[index] for index in sorted(run.rows, key=run.configurations.place)]


def nothing(run: Run) -> RuntimeError:
    """That there is no result, with the first reason."""
    if not run.failed:
        return RuntimeError(f"tunekit: no configuration was measured within {run.seconds:g} s, want more seconds")
    index, (kind, why) = next(iter(run.failed.items()))
    return RuntimeError(f"tunekit: all {len(run.failed)} configurations failed, the first {listed(run.configurations.at(index))}: {kind}: {why}")
