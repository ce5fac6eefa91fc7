#!/bin/sh
# SPDX-License-Identifier: MIT
# What scripts/claims promises: a verdict by its rule, none on a table of other recipes or without a day, and all claims on the page.
# That the page follows from its tables is asked by tests/hygiene.
set -eu
cd "$(dirname "$0")/../../../.."
command -v python3 >/dev/null || { echo "no python3 here" && exit 1; }
python3 - <<'END'
import importlib.machinery
import importlib.util
import pathlib
import sys

loader = importlib.machinery.SourceFileLoader("claims", "scripts/claims")
claims = importlib.util.module_from_spec(importlib.util.spec_from_loader("claims", loader))
sys.dont_write_bytecode = True
loader.exec_module(claims)
Value, verdict = claims.Value, claims.verdict

for values, least, want in (([(2, 1.5)], 1.2, "holds"), ([(2, 1.1)], 1.2, "holds in the medians"), ([(2, 1.5), (1.1, 1)], 1.2, "holds in part"),
                            ([(1.1, 1)], 1.2, "smaller"), ([(0.9, 0.8)], 1.2, "does not hold"), ([(0.9, 0.8)], 1, "does not hold"), ([], 1, "not measured")):
    got = verdict([Value("", "", value, low, 9) for value, low in values], least)
    assert got == want, (values, least, got)
assert verdict([Value("", "", 2, 1.5, 9, "?")], 1).startswith("not decided")
assert verdict([Value("", "", 2, 1.5, 9, "<=")], 1) == "holds in the medians"

ROW = "{}  {}  1 1 1 {} 1 2 3 15/15 {} {} {} 1.0 0.9 1"
def page(day, recipes, tq=10):
    tables = []
    for network in claims.NETWORKS:
        for builders in claims.BUILDERS:
            rows = [ROW.format("autotvm-best-form", "yes", 60, 1, 1, 1), ROW.format("dynatune-paper", "no", tq, 1, 1, 1), ROW.format("dynatune-paper", "yes", 20, 1, 1, 1),
                    ROW.format("combined", "yes", 6, 10, 9, 11), "combined ahead of autotvm-carried-dynatune, without: 1.50 [1.10, 2.00]"]
            tables.append(f"## fair-{network}-{builders}\n\n`bench (all) it` (7 s of a core, {day}, here family 6{recipes})\n\n```\n" + "\n".join(rows) + "\n```\n")
    return claims.Tables("\n".join(tables), "2")
def row(t, name):
    return next(line for line in claims.claims(t) if line.startswith(f"| {name} |"))

good = page("2026-11-28", ", recipes 2")
assert "| **holds** | 1.50 [1.10, 2.00] |" in row(good, "1"), row(good, "1")
assert "| **holds** | 10.00 [9.00, 11.00] |" in row(good, "2"), row(good, "2")
assert "**not run with these recipes**" in row(good, "5 D1")  # no line of that lead
assert good.better("alexnet", 8, "dynatune-paper")[1] is False and page("2026-11-28", ", recipes 2", 30).better("alexnet", 8, "dynatune-paper")[1] is True
half = page("2026-11-28", ", recipes 2")
for network in claims.NETWORKS:
    half.head[f"fair-{network}-2"] = half.head[f"fair-{network}-2"].replace("recipes 2", "recipes 1")
assert "| **holds** with 1 builder and 8 builders, not run with 2 builders | 10.00 [9.00, 11.00] |" in row(half, "2"), row(half, "2")
for old in (page("2026-11-28", ", recipes 1"), page("2026-11-28", ""), page("", ", recipes 2")):
    for name in ("1", "2"):
        assert "**not run with these recipes** | - | - |" in row(old, name), row(old, name)
    assert "10.00" not in "".join(claims.leads(old) + claims.systems(old) + claims.parts(old) + claims.forms(old))

def alone(than):
    lines = ["strategy           P*  +- 95 %  worst   S200  +- 95 %  worst  clamped  +- 95 %  worst to 5 %  own us/eval",
             "autotvm-rank    0.669    0.075  -0.03  0.526    0.086  -0.00    0.578    0.062   0.24   40.0       381.46",
             "autotvm-paper   0.530    0.061  -0.00  0.320    0.040  -0.01    0.328    0.039  -0.01   70.4       184.94",
             "combined        0.835    0.032   0.32  0.755    0.032   0.43    0.759    0.029   0.44   27.9      1582.16",
             f"combined less {than}: P* +0.166 +- 0.083, worst +0.02; S200 +0.229 +- 0.086, worst +0.01; clamped +0.182 +- 0.065, worst +0.01"]
    return claims.Tables("## search-alone\n\n`bench` (7 s of a core, 2026-11-28, here family 6, recipes 2)\n\n```\n" + "\n".join(lines) + "\n```\n", "2")
assert "| **holds** | 0.17 [0.08, 0.25] | [GPU spaces, 0.835 against 0.669 of autotvm-rank]" in row(alone("autotvm-rank"), "10"), row(alone("autotvm-rank"), "10")
assert "**not run with these recipes**" in row(alone("autotvm-paper"), "10")  # not its best form

rows = [line for line in pathlib.Path("docs/claims.md").read_text().splitlines() if any(line.startswith(f"| {name} | **") for name, *_ in claims.CLAIMS)]
assert len(rows) == len(claims.CLAIMS) == 21, len(rows)
print("verdicts by their rule, none on old tables, 21 claims on the page")
END
