#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One table of what tunekit and other tuners find of recorded fronts: bench_goals' measure, trials and seeds for all.

    pip install kernel-tuner==1.5.0 optuna==5.0.0     # the latter with torch for --peers optuna-gp
    python3 bench/studies/goals_peers.py build/release/studies/bench_goals bench/studies/data/goals/*.params

Every tuner sees the logarithms of the cost and of each number, all to be lowered. A proposal that was not recorded, or was
measured before, stands for the nearest recorded one that was not measured yet (fewest parameters that differ, then least sum of differences of
positions, then at random): so each trial is a new configuration for all, and a sampler that repeats itself, as TPE does, looks around. A failure
is told as the worst that was recorded. Optuna is told of parameters by position, as integers; those whose values are words
are categories. Its samplers and Kernel Tuner's NSGA-II have their own default settings.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import math
import random
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from importlib import metadata

import numpy


class Enough(Exception):
    """The budget of trials is spent."""


class Recorded:
    """A recorded space: ordinals of each row, and its goals on a scale from the least recorded (0) to the greatest (1) by logarithms."""

    def __init__(self, stem: str) -> None:
        values: dict[str, list[str]] = {}
        self.words: set[str] = set()
        numbers: list[str] = []
        with open(stem + ".params", encoding="utf-8") as lines:
            for line in lines:
                parts = line.split()
                if parts[:1] == ["param"]:
                    values[parts[1]] = parts[2:]
                elif parts[:1] == ["value"]:
                    numbers.append(parts[1])
                elif parts[:1] == ["#"] and parts[1].rstrip(":") in values:
                    self.words.add(parts[1].rstrip(":"))
        self.names = list(values)
        self.sizes = [len(v) for v in values.values()]
        self.rows: list[tuple[int, ...]] = []
        goals: list[tuple[float, ...] | None] = []
        with gzip.open(stem + ".csv.gz", "rt", encoding="utf-8") as table:
            for row in csv.DictReader(table):
                self.rows.append(tuple(values[p].index(row[p]) for p in self.names))
                goals.append(tuple(math.log(float(row[g])) for g in ("time_ms", *numbers)) if row["status"] == "valid" else None)
        valid = [g for g in goals if g is not None]
        self.several = range(1 + len(numbers))
        low, high = [[pick(g[k] for g in valid) for k in self.several] for pick in (min, max)]
        self.goals = [None if g is None else tuple((g[k] - low[k]) / (high[k] - low[k]) for k in self.several) for g in goals]
        self.table = numpy.array(self.rows)
        self.at = {row: i for i, row in enumerate(self.rows)}
        self.whole = volume([g for g in self.goals if g is not None])

    def nearest(self, config: tuple[int, ...], gen: random.Random, without: set[int]) -> int:
        """The row of a configuration, or of the nearest one, of those that are not in `without`."""
        if self.at.get(config, -1) not in {-1} | without:
            return self.at[config]
        away = (self.table != numpy.array(config)).sum(axis=1)
        away[list(without)] = len(config) + 1
        near = numpy.flatnonzero(away == away.min())
        apart = numpy.zeros(len(near))
        for k, n in enumerate(self.sizes):
            if n > 1:
                apart += numpy.abs(self.table[near, k] - config[k]) / (n - 1)
        found = [int(i) for i in near[apart == apart.min()]]
        return gen.choice(found)


def volume(points: list[tuple[float, ...]]) -> float:
    """The hypervolume below (1, 1, ...): slices along the last goal, each the volume of the goals before it."""
    points = sorted((p for p in points if max(p) < 1), key=lambda p: p[-1])
    if not points:
        return 0.0
    if len(points[0]) == 1:
        return 1 - min(points)[0]
    total, below = 0.0, []
    for k, p in enumerate(points):
        if not any(all(a <= b for a, b in zip(q, p)) for q in below):
            below = [q for q in below if not all(b <= a for a, b in zip(q, p[:-1]))] + [p[:-1]]
        thick = (points[k + 1][-1] if k + 1 < len(points) else 1) - p[-1]
        if thick > 0:
            total += thick * volume(below)
    return total


class Run:
    """What a tuner measures: so many configurations, each once."""

    def __init__(self, of: Recorded, trials: int, seed: int) -> None:
        self.of = of
        self.trials = trials
        self.seen: set[int] = set()
        self.gen = random.Random(seed)

    def __call__(self, config: tuple[int, ...]) -> tuple[float, ...]:
        """The goals. Raises: Enough."""
        if len(self.seen) >= min(self.trials, len(self.of.rows)):
            raise Enough
        i = self.of.nearest(config, self.gen, self.seen)
        self.seen.add(i)
        return self.of.goals[i] or tuple(1.0 for _ in self.of.several)

    def share(self) -> float:
        return volume([g for i in self.seen if (g := self.of.goals[i]) is not None]) / self.of.whole


def at_random(run: Run, seed: int) -> None:
    for i in random.Random(seed).sample(range(len(run.of.rows)), len(run.of.rows)):
        run(run.of.rows[i])


def optuna_by(sampler: str, **options: object) -> Callable[[Run, int], None]:
    def search(run: Run, seed: int) -> None:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        warnings.simplefilter("ignore")
        of = run.of
        space: dict[str, optuna.distributions.BaseDistribution] = {}
        for name, size in zip(of.names, of.sizes):
            if size > 1:
                space[name] = (
                    optuna.distributions.CategoricalDistribution(list(range(size))) if name in of.words else optuna.distributions.IntDistribution(0, size - 1)
                )
        study = optuna.create_study(directions=["minimize" for _ in of.several], sampler=getattr(optuna.samplers, sampler)(seed=seed, **options))
        while True:
            trial = study.ask(space)
            goals = run(tuple(trial.params.get(name, 0) for name in of.names))
            study.tell(trial, goals)

    return search


def kernel_tuner(run: Run, seed: int) -> None:
    """Kernel Tuner's own NSGA-II over the recorded list, by its own operators."""
    from kernel_tuner.interface import Options
    from kernel_tuner.searchspace import Searchspace
    from kernel_tuner.strategies import pymoo_minimize
    from kernel_tuner.util import TuningBudget

    of = run.of
    called = [f"goal{k}" for k in of.several]
    numpy.random.seed(seed)
    random.seed(seed)
    listed = {str(i): dict(zip(of.names, row)) for i, row in enumerate(of.rows)}
    values = {name: list(range(size)) for name, size in zip(of.names, of.sizes)}
    space = Searchspace(None, None, None, from_cache={"tune_params": values, "cache": listed})

    class Anything(pymoo_minimize.CostFunc):
        def _normalize_and_validate_config(self, x: tuple[int, ...], check_restrictions: bool = True) -> tuple[list[int], bool]:
            return [int(v) for v in x], True

    class Replays:
        def add_strategy_time(self, seconds: float) -> None: ...

        def run(self, configs: list[list[int]], options: object) -> list[dict[str, object]]:
            out = []
            for config in configs:
                goals = run(tuple(config))
                out.append({**dict(zip(of.names, config)), **dict(zip(called, goals))})
            return out

    own, pymoo_minimize.CostFunc = pymoo_minimize.CostFunc, Anything
    try:
        pymoo_minimize.tune(
            space, Replays(),
            Options(strategy="nsga2", strategy_options=Options(max_fevals=run.trials), objective=called, objective_higher_is_better=[False for _ in called],
                    tune_params=values, budget=TuningBudget(), seed=seed, verbose=False, simulation_mode=False, cache={}),
        )
    finally:
        pymoo_minimize.CostFunc = own


peers: dict[str, tuple[str, Callable[[Run, int], None]]] = {
    "kernel-tuner-nsga2": ("kernel-tuner", kernel_tuner),
    "optuna-nsga2": ("optuna", optuna_by("NSGAIISampler")),
    "optuna-nsga2-20": ("optuna", optuna_by("NSGAIISampler", population_size=20)),
    "optuna-nsga3": ("optuna", optuna_by("NSGAIIISampler")),
    "optuna-tpe": ("optuna", optuna_by("TPESampler")),
    "optuna-tpe-multivariate": ("optuna", optuna_by("TPESampler", multivariate=True)),
    "optuna-gp": ("optuna", optuna_by("GPSampler")),
    "random-here": ("", at_random),
}

# Student's t at 97.5 %, by degrees of freedom.
T = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064]


def interval(shares: list[float]) -> tuple[float, float, float]:
    n = len(shares)
    mean = sum(shares) / n
    if n < 2:
        return mean, math.nan, math.nan
    half = (T[n - 2] if n - 2 < len(T) else 1.96) * math.sqrt(sum((x - mean) ** 2 for x in shares) / (n - 1) / n)
    return mean, mean - half, mean + half


def main() -> None:
    told = argparse.ArgumentParser(description="The share of recorded fronts' hypervolume that tunekit and other tuners find.")
    told.add_argument("bench_goals", help="the study of that name, built")
    told.add_argument("spaces", nargs="+", help="recorded spaces with a number beside the cost")
    told.add_argument("--strategies", default="parego,combined,random", help="of tunekit")
    told.add_argument("--peers", default="kernel-tuner-nsga2,optuna-nsga2,optuna-nsga2-20,optuna-tpe,optuna-tpe-multivariate", help="of " + ", ".join(peers))
    told.add_argument("--trials", type=int, default=200)
    told.add_argument("--repeats", type=int, default=25)
    told.add_argument("--json", action="store_true")
    how = told.parse_args()
    chosen = [name for name in how.peers.split(",") if name]
    for name in chosen:
        if name not in peers:
            sys.exit(f"goals_peers: no peer is called '{name}', want one of {', '.join(peers)}")
    out = []
    for path in how.spaces:
        stem = path.removesuffix(".params")
        of = Recorded(stem)
        mine = json.loads(subprocess.run(
            [how.bench_goals, stem, "--strategies", how.strategies, "--trials", str(how.trials), "--repeats", str(how.repeats), "--json"],
            check=True, capture_output=True, text=True,
        ).stdout)
        rows = [("tunekit " + r["strategy"], r["share"], r["low"], r["high"], r["own_ms"]) for r in mine["rows"]]
        for name in chosen:
            begun, shares, trials = time.process_time(), [], 0
            for seed in range(1, how.repeats + 1):
                run = Run(of, how.trials, seed)
                try:
                    peers[name][1](run, seed)
                except Enough:
                    pass
                shares.append(run.share())
                trials += len(run.seen)
            what = f"{name} {metadata.version(peers[name][0])}" if peers[name][0] else name
            rows.append((what, *interval(shares), 1e3 * (time.process_time() - begun) / trials))
        rows.sort(key=lambda r: -r[1])
        out.append({"space": stem, "configurations": len(of.rows), "rows": rows})
        if not how.json:
            print(f"{stem}: {len(of.rows)} configurations, {mine['front']} of them the front; {how.trials} trials, {how.repeats} seeds")
            print(f"  {'':34s} {'hypervolume':>11s} {'95 %':>18s} {'own ms/trial':>13s}")
            for what, mean, low, high, own in rows:
                print(f"  {what:34s} {mean:11.4f}   [{low:.4f}, {high:.4f}] {own:12.2f}")
            sys.stdout.flush()
    if how.json:
        print(json.dumps(out, indent=1))


if __name__ == "__main__":
    main()
