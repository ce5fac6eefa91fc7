#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Strategies of Kernel Tuner, and tunekit's within it, on recorded spaces in its simulation mode, scored by score_strategy.

    python kernel_tuner_scores.py build/ci-release/tools/score_strategy --spaces packages/scoring/recordings

Each space becomes a cache file of Kernel Tuner. A run goes on until 220 evaluations and 1.1 of the space's budgets of recorded seconds
are over, as docs/scoring.md has it. Beside these rows stands `combined`, the search of C++ on the same spaces.
"""

import argparse
import csv
import gzip
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, TypeAlias

import numpy
from kernel_tuner import tune_kernel
from kernel_tuner.strategies.wrapper import OptAlgWrapper

from pytunekit.kernel_tuner import Strategy

OURS = "tunekit-in-kernel-tuner"
ERRORS = {"compile_error": "CompilationFailedConfig", "runtime_error": "RuntimeFailedConfig", "invalid": "InvalidConfig"}


Run: TypeAlias = list[tuple[float, float]]
"""Of each new evaluation the recorded seconds so far, and the best milliseconds."""


class Recording:
    """A recorded space of docs/formats.md, as a cache file of Kernel Tuner."""

    def __init__(self, stem: Path, to: Path) -> None:
        self.name = stem.name
        self.parameters: dict[str, list[int]] = {}
        self.constraints: list[str] = []
        for line in stem.with_suffix(".params").read_text().splitlines():
            what, _, said = line.partition(" ")
            if what == "param":
                name, *values = said.split()
                self.parameters[name] = [int(v) for v in values]
            elif what == "constraint":
                self.constraints.append(said)
        with gzip.open(stem.with_suffix(".csv.gz"), "rt") as file:
            self.rows = {",".join(row[p] for p in self.parameters): row for row in csv.DictReader(file)}
        with (stem.parent / "spaces.csv").open() as file:
            about = next(row for row in csv.DictReader(file) if row["space"] == self.name)
        self.budget_evaluations, self.budget_seconds = int(about["budget_evals"]), float(about["budget_s"])
        self.cache = to / f"{self.name}.json"
        self.cache.write_text(json.dumps({
            "device_name": "recorded", "kernel_name": "k", "problem_size": [1024], "tune_params_keys": list(self.parameters),
            "tune_params": self.parameters, "objective": "time", "cache": {key: entry(row, self.parameters) for key, row in self.rows.items()},
        }))

    def run(self, strategy: Any, evaluations: int) -> Run:
        """One run."""
        results, _ = tune_kernel(
            "k", "", 1024, [], self.parameters, restrictions=self.constraints, cache=str(self.cache), simulation_mode=True, quiet=True,
            strategy=strategy, strategy_options={"max_fevals": evaluations},
        )
        out = []
        seen: set[str] = set()
        seconds, best = 0.0, float("inf")
        for result in results:
            key = ",".join(str(result[p]) for p in self.parameters)
            if key in seen:
                continue
            seen.add(key)
            row = self.rows[key]
            seconds += float(row["cost_ms"]) / 1000
            if row["status"] == "valid":
                best = min(best, float(row["time_ms"]))
            out.append((seconds, best))
        return out

    def whole_run(self, name: str, seed: int) -> Run:
        """A run as long as it is judged."""
        evaluations = max(220, self.budget_evaluations)
        while True:
            random.seed(seed)
            numpy.random.seed(seed)
            strategy = OptAlgWrapper(Strategy(seed=seed)) if name == OURS else name
            evaluations = min(evaluations, len(self.rows))
            found = self.run(strategy, evaluations)
            enough = [k for k, (seconds, _) in enumerate(found, 1) if k >= 220 and seconds > 1.1 * self.budget_seconds]
            if enough:
                return found[: enough[0]]
            if evaluations == len(self.rows) or len(found) < evaluations:  # the space, or the strategy, is at its end
                return found
            evaluations *= 2


def entry(row: dict[str, str], parameters: dict[str, list[int]]) -> dict[str, Any]:
    """A line of a recording as Kernel Tuner writes it."""
    valid = row["status"] == "valid"
    measured: Any = float(row["time_ms"]) if valid else ERRORS[row["status"]]
    out: dict[str, Any] = {p: int(row[p]) for p in parameters} | {"time": measured, "times": [measured]}
    if not valid:
        out["__error__"] = measured
    for part in ("compile", "verification", "benchmark", "framework"):
        out[f"{part}_time"] = float(row[f"{part}_ms"])
    return out | {"strategy_time": 0.0, "timestamp": "2026-01-01T00:00:00+00:00"}


def trajectory(repeat: int, run: Run) -> list[list[Any]]:
    """The lines of a run in a file of trajectories: those that improve, the first and the last."""
    out = []
    before = float("inf")
    for k, (seconds, best) in enumerate(run, 1):
        if best < before or k in (1, len(run)):
            out.append([repeat, k, f"{seconds:.6f}", "" if best == float("inf") else repr(best)])
        before = best
    return out


def write(to: Path, repeats: list[Run]) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    with to.open("w", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(["repeat", "eval", "sim_time_s", "best_ms"])
        for repeat, run in enumerate(repeats):
            lines.writerows(trajectory(repeat, run))


def stems_in(folders: list[Path], only: list[str]) -> list[Path]:
    """The recorded spaces of some folders, without their endings."""
    there = [path.with_suffix("") for folder in folders for path in sorted(folder.glob("*.params"))]
    return [stem for stem in there if not only or stem.name in only]


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    arguments.add_argument("score_strategy", type=Path, help="the program, built")
    arguments.add_argument("--spaces", type=Path, nargs="+", required=True, help="folders of recorded spaces")
    arguments.add_argument("--only", nargs="*", default=[], help="names of spaces; all by default")
    arguments.add_argument("--strategies", nargs="+", default=["hybrid_vndx", "adaptive_tabu_greywolf", "genetic_algorithm"])
    arguments.add_argument("--repeats", type=int, default=25)
    said = arguments.parse_args()
    names = [OURS, *said.strategies]
    stems = stems_in(said.spaces, said.only)
    if not stems:
        print(f"kernel_tuner_scores: no space in {', '.join(map(str, said.spaces))}, want folders with .params and .csv.gz", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        at = Path(folder)
        for stem in stems:
            space = Recording(stem, at)
            for name in names:
                began = time.perf_counter()
                write(at / name / f"{space.name}.csv", [space.whole_run(name, seed) for seed in range(said.repeats)])
                print(f"{space.name} {name}: {(time.perf_counter() - began) / said.repeats:.2f} s a run", file=sys.stderr)
        chosen = at / "spaces"
        chosen.mkdir()
        for stem in stems:
            for ending in (".params", ".csv.gz"):
                (chosen / (stem.name + ending)).symlink_to(stem.with_suffix(ending).resolve())
        return subprocess.run([
            said.score_strategy, "--spaces", chosen, "--strategy", "combined", "--repeats", str(said.repeats),
            "--trajectories", ",".join(str(at / name) for name in names),
        ]).returncode


if __name__ == "__main__":
    sys.exit(main())
