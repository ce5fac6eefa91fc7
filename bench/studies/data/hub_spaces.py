#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Spaces of the FAIR Benchmark Hub for Auto-Tuning as recorded spaces of docs/formats.md.

    git clone https://github.com/AutoTuningAssociation/benchmark_hub      # MIT licence, doi 10.5281/zenodo.15364124
    python3 bench/studies/data/hub_spaces.py benchmark_hub hub convolution_milo-A4000 dedispersion_milo-MI250X

A space KERNEL-DEVICE is made from two of its files: constraints from kernels/KERNEL.json, parameters and rows from Kernel Tuner's cache
cachefiles/KERNEL/DEVICE.json.gz. Without names it makes every space for which there are both. Rates and time stamps are dropped.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import math
import statistics
import sys
from pathlib import Path
from typing import Any

STATUS = {"CompilationFailedConfig": "compile_error", "RuntimeFailedConfig": "runtime_error"}
PARTS = ("compile", "verification", "benchmark", "framework")
SPACES = [
    "space", "kernel", "device", "n_configs", "n_valid", "n_tunables", "optimum_ms", "median_ms", "worst_ms", "target95_ms", "budget_evals",
    "budget_s", "median_cost_ms",
]


def spaces_in(hub: Path) -> list[str]:
    files = sorted(hub.glob("cachefiles/*/*.json.gz"))
    names = [(f.parent.name, f.name.removesuffix(".json.gz")) for f in files]
    return [f"{kernel}-{device}" for kernel, device in names if (hub / f"kernels/{kernel}.json").exists() and not device.endswith("_T4")]


def document(path: Path) -> Any:
    """A JSON file, which may be packed. Exits with a line where there is none, as where only Git LFS has the file."""
    try:
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError) as e:
        sys.exit(f"hub_spaces: {path}: {e}, want a JSON file of the hub (git lfs pull brings the large ones)")


def rows_of(cache: Any, names: list[str]) -> list[dict[str, Any]]:
    """Each entry of a cache as a line of a recording."""
    out = []
    for entry in cache["cache"].values():
        measured = entry["time"]
        valid = not isinstance(measured, str)
        row = {name: entry[name] for name in names}
        row |= {"time_ms": measured if valid else "", "status": "valid" if valid else STATUS.get(measured, "invalid")}
        parts = {f"{part}_ms": round(entry.get(f"{part}_time") or 0, 6) for part in PARTS}
        row |= {"cost_ms": round(sum(parts.values()), 6)} | parts
        out.append(row | {f"t{k}": round(t, 6) for k, t in enumerate(entry["times"] if valid else [])})
    return out


def facts_of(name: str, kernel: str, device: str, rows: list[dict[str, Any]], tunables: int) -> dict[str, Any]:
    """The line of spaces.csv: what random search needs to come within 5 % of the way from the optimum to the median."""
    times = sorted(row["time_ms"] for row in rows if row["status"] == "valid")
    median = statistics.median(times)
    target = times[0] + 0.05 * (median - times[0])
    reached = sum(t <= target for t in times)
    budget = math.ceil((len(times) - reached) / (reached + 1))
    cost = statistics.median(row["cost_ms"] for row in rows)
    values = [name, kernel, device, len(rows), len(times), tunables, times[0], median, times[-1], target, budget, round(budget * cost / 1000, 6), cost]
    return dict(zip(SPACES, values))


def convert(hub: Path, name: str, to: Path) -> dict[str, Any]:
    """Writes a space, and returns its line of spaces.csv."""
    kernel, _, device = name.partition("-")
    conditions = document(hub / f"kernels/{kernel}.json")["ConfigurationSpace"]["Conditions"]
    cache = document(hub / f"cachefiles/{kernel}/{device}.json.gz")
    values = cache["tune_params"]
    on = cache["device_name"] or device
    lines = [f"kernel {kernel}", f"device {on}"]
    lines += [f"param {p} {' '.join(map(str, v))}" for p, v in values.items()]
    lines += [f"constraint {condition['Expression']}" for condition in conditions]
    (to / f"{name}.params").write_text("\n".join(lines) + "\n", encoding="utf-8")
    rows = rows_of(cache, list(values))
    with gzip.open(to / f"{name}.csv.gz", "wt", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, max(rows, key=len), restval="", lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    return facts_of(name, kernel, on, rows, sum(len(v) > 1 for v in values.values()))


def write_table(to: Path, facts: list[dict[str, Any]]) -> None:
    """Writes spaces.csv, a line a space."""
    with (to / "spaces.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, SPACES, lineterminator="\n")
        table.writeheader()
        table.writerows(facts)


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    arguments.add_argument("hub", type=Path, help="a clone of the hub")
    arguments.add_argument("to", type=Path, help="folder for the recorded spaces")
    arguments.add_argument("spaces", nargs="*", help="KERNEL-DEVICE; all by default")
    said = arguments.parse_args()
    there = spaces_in(said.hub)
    for name in said.spaces or there or [""]:
        if name not in there:
            print(f"hub_spaces: {said.hub} has no space '{name}', want one of: {', '.join(there) or 'a clone of the hub has some'}", file=sys.stderr)
            return 2
    said.to.mkdir(parents=True, exist_ok=True)
    facts = [convert(said.hub, name, said.to) for name in said.spaces or there]
    write_table(said.to, facts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
