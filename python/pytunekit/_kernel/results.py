# SPDX-License-Identifier: MIT
"""Rows with Kernel Tuner's columns and units, and facts of the run."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone

from .cache import error_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TOTALS = ("compile", "verification", "benchmark", "framework", "strategy")


def row_of(configuration: Mapping[str, Any], measured: Mapping[str, Any], is_time: bool, verification: float) -> dict[str, Any]:
    """What measuring gave, in columns: all times in milliseconds, but a cost that a function of C returned, which is as it is."""
    row = dict(configuration)
    if measured["kind"]:
        row["__error__"] = error_of(measured["kind"])
    else:
        times = [1e3 * t if is_time else t for t in measured["times"]]
        row["time"] = sum(times) / len(times)
        row["times"] = times
    row["compile_time"] = 1e3 * measured["build_seconds"]
    row["verification_time"] = 1e3 * verification
    row["benchmark_time"] = 1e3 * measured["run_seconds"]
    return row


def stamp(row: dict[str, Any], strategy: float, framework: float) -> None:
    """Adds the last columns: when, and the milliseconds that choosing and all else took."""
    row["timestamp"] = str(datetime.now(timezone.utc))
    row["strategy_time"] = 1e3 * strategy
    row["framework_time"] = 1e3 * framework


def environment(device: Mapping[str, Any], iterations: int, options: list[str], rows: list[dict[str, Any]], seconds: float) -> dict[str, Any]:
    """Facts of the run, as json writes them."""
    env: dict[str, Any] = {"device_name": device["name"], "max_threads": device["threads"]}
    if device["architecture"]:
        env["compute_capability"] = device["architecture"].removeprefix("sm_")
    env.update(iterations=iterations, compiler_options=options)
    spent = 0.0
    for what in TOTALS:
        env[f"total_{what}_time"] = sum(float(row.get(f"{what}_time", 0)) for row in rows)
        spent += env[f"total_{what}_time"]
    env["overhead_time"] = max(0.0, 1e3 * seconds - spent)
    return env
