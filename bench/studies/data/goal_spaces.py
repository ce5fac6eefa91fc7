#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Other people's tables of several goals as recorded spaces of docs/formats.md: MOOT (MIT licence) and HLSyn (CC BY-SA 4.0).

    git clone https://github.com/timm/moot && python3 bench/studies/data/goal_spaces.py moot moot FOLDER
    git clone https://github.com/ZongyueQin/HLSyn && python3 bench/studies/data/goal_spaces.py hlsyn HLSyn FOLDER

Without names it converts those that the studies name. The first goal is the cost, and all are to be lowered: one that is to be raised becomes its
inverse, which keeps the distances of logarithms. What has a Creative Commons licence keeps it in its new form.
MOOT: values that are no integers are given by their position in ascending order, words alphabetically.
HLSyn: goals are thousands of cycles and look-up tables, as the tool estimates them. What it could not make is a compile_error, what takes more than
80 % of a resource of the device a runtime_error.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import json
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

from hub_spaces import facts_of, write_table

# MOOT: tables of optimize/config of measured programs, so large that 200 trials are at most a fourth, with each configuration once and every goal above 0.
# HLSyn: kernel-version; the others have had no part in any choice of tunekit's, and stay so.
CHOSEN = {
    "moot": "SS-A SS-C SS-E SS-I SS-J SS-K SS-M SS-O SS-Q SS-R SS-T SS-U SS-V",
    "hlsyn": "2mm-v18 adi-v18 bicg-v18 doitgen-red-v18 gemm-blocked-v18 gemm-p-v18 gemver-medium-v18 jacobi-2d-v18 nw-v18 2mm-v20 gemm-p-v20 nw-v20",
}
PIPE = {"off": "0", "": "1", "flatten": "2"}
TOOLS = {"v18": "Xilinx VU9P, SDx 2018.3 (estimate)", "v20": "Xilinx U200, Vitis 2020.2 (estimate)"}


def number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def integers_of(column: list[str]) -> tuple[dict[str, int], str]:
    """The integer of each text of a column, and what the integers mean where they are not the texts themselves."""
    texts = sorted(set(column), key=lambda t: (number(t) is None, number(t) or 0.0, t))
    if all((x := number(t)) is not None and x == int(x) for t in texts):
        return {t: int(float(t)) for t in texts}, ""
    return {t: k for k, t in enumerate(texts)}, ", ".join(f"{k} '{t}'" for k, t in enumerate(texts))


class Space:
    """A list of rows: texts of the parameters, a status, goals that are to be lowered."""

    def __init__(self, kernel: str, device: str, source: str, names: list[str], goals: list[str]) -> None:
        self.kernel, self.device, self.source, self.names, self.goals = kernel, device, source, names, goals
        self.rows: list[tuple[list[str], str, list[float]]] = []

    def write(self, to: Path, name: str) -> dict[str, Any]:
        """Writes its files, and returns its line of spaces.csv."""
        used = [k for k in range(len(self.names)) if len({row[0][k] for row in self.rows}) > 1]
        columns = [self.names[k].strip().strip("_").replace("__", "_").replace(" ", "_").replace("-", "_") for k in used]
        coded = [integers_of([row[0][k] for row in self.rows]) for k in used]
        head = [f"kernel {self.kernel}", f"device {self.device}", f"# {self.source}", f"# sample: {len(self.rows)}", "# goals: " + ", ".join(self.goals)]
        head += [f"param {p} " + " ".join(str(v) for v in sorted(of.values())) for p, (of, _) in zip(columns, coded)]
        head += [f"value {g.removeprefix('1 / ')}" for g in self.goals[1:]]
        for p, (of, meaning) in zip(columns, coded):
            if meaning:  # goals_peers.py takes words as categories
                head.append(f"# {p}: {meaning}" if any(number(t) is None for t in of) else f"# positions of {p}: {meaning}")
        (to / f"{name}.params").write_text("\n".join(head) + "\n", encoding="utf-8")
        facts = []
        with gzip.GzipFile(to / f"{name}.csv.gz", "wb", mtime=0) as packed:
            fixed = ["time_ms", "status", "cost_ms", "compile_ms", "verification_ms", "benchmark_ms", "framework_ms"]
            text = [",".join([*columns, *fixed, *(g.removeprefix("1 / ") for g in self.goals[1:])])]
            for texts, status, goals in self.rows:
                told = [repr(g) for g in goals] if status == "valid" else ["" for _ in self.goals]
                text.append(",".join([*(str(of[texts[k]]) for k, (of, _) in zip(used, coded)), told[0], status, "0,0,0,0,0", *told[1:]]))
                facts.append({"status": status, "time_ms": goals[0] if goals else 0.0, "cost_ms": 0.0})
            packed.write(("\n".join(text) + "\n").encode())
        return facts_of(name, self.kernel, self.device, facts, len(used))


def moot(clone: Path, name: str, commit: str) -> Space:
    path = clone / "optimize" / "config" / f"{name}.csv"
    try:
        lines = [[cell.strip() for cell in line] for line in csv.reader(io.StringIO(path.read_text(encoding="utf-8"))) if line]
    except OSError as e:
        sys.exit(f"goal_spaces: {path}: {e.strerror}, want a table of MOOT's optimize/config")
    names, rows = lines[0], lines[1:]
    goals = [k for k, text in enumerate(names) if text[-1] in "+-"]
    inputs = [k for k in range(len(names)) if k not in goals]
    if not 2 <= len(goals) <= 9:
        sys.exit(f"goal_spaces: {path}: has {len(goals)} goals, want two to nine")
    if len({tuple(row[k] for k in inputs) for row in rows}) < len(rows):
        sys.exit(f"goal_spaces: {path}: has a configuration twice, want each once")
    if any((number(row[k]) or 0.0) <= 0 for row in rows for k in goals):
        sys.exit(f"goal_spaces: {path}: has a goal that is not above 0, want numbers with logarithms")
    called = [("1 / " if names[k][-1] == "+" else "") + names[k].rstrip("+-").strip().replace("-", "_").lower() for k in goals]
    out = Space(f"MOOT {name}", "unknown", f"{name}.csv of MOOT {commit}, MIT licence, (c) 2025 Tim Menzies", [names[k] for k in inputs], called)
    for row in rows:
        out.rows.append(([row[k] for k in inputs], "valid", [1 / float(row[k]) if names[k][-1] == "+" else float(row[k]) for k in goals]))
    return out


def hlsyn(clone: Path, name: str, commit: str) -> Space:
    kernel, _, version = name.rpartition("-")
    archive, inside = clone / "data" / "HLSyn_data.tar.gz", f"data/designs/{version}/{kernel}.json"
    try:
        with tarfile.open(archive) as packed:
            member = packed.extractfile(inside)
            designs = json.load(member) if member else {}
    except (OSError, KeyError, ValueError) as e:
        sys.exit(f"goal_spaces: {archive}: {inside}: {e}, want HLSyn's archive with it")
    names = sorted(next(iter(designs.values()))["point"])
    out = Space(f"HLSyn {kernel}", TOOLS[version], f"{inside} of HLSyn {commit}, CC BY-SA 4.0, Bai et al. (NeurIPS 2023); PIPE: 0 off, 1 on, 2 flatten", names, ["kilocycles", "lut"])
    for of in designs.values():
        fits = all(share <= 0.8 for what, share in of["res_util"].items() if what.startswith("util-"))
        status = "compile_error" if not of["valid"] or of["perf"] <= 0 else "valid" if fits else "runtime_error"
        out.rows.append(([PIPE.get(str(of["point"][p]), str(of["point"][p])) for p in names], status, [of["perf"] / 1000, of["res_util"]["total-LUT"]]))
    return out


def main() -> int:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("source", choices=CHOSEN)
    arguments.add_argument("clone", type=Path, help="a clone of its repository")
    arguments.add_argument("to", type=Path, help="folder for the recorded spaces")
    arguments.add_argument("names", nargs="*", help="of MOOT a table (SS-A), of HLSyn a kernel and v18 or v20 (nw-v20)")
    said = arguments.parse_args()
    commit = subprocess.run(["git", "-C", said.clone, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()
    facts = []
    said.to.mkdir(parents=True, exist_ok=True)
    for name in said.names or CHOSEN[said.source].split():
        space = {"moot": moot, "hlsyn": hlsyn}[said.source](said.clone, name, commit or "(commit unknown)")
        facts.append(space.write(said.to, name))
    write_table(said.to, facts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
