# SPDX-License-Identifier: MIT
"""What is lowered or raised, and the numbers that are computed beside the time."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .. import _core
from .._score import cost_of
from .._space import pythons, shown
from .._tuner import Failed
from .sensed import SENSED
from .texts import evaluated, listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HIGHER_IS_BETTER = {
    "time": False, "nvml_energy": False, "energy": False, "cost": False, "loss": False, "fitness": True, "GFLOP/s": True, "TFLOP/s": True, "GB/s": True, "TB/s": True,
    "GFLOPS/W": True, "TFLOPS/W": True, "GFLOP/J": True, "TFLOP/J": True,
}
MEASURED = ("time", "compile_time", "verification_time", "benchmark_time")


class Objective:
    """A column of the results, and whether more of it is better.

    Raises: Error for a column that there will not be, or whose direction nobody knows.
    """

    def __init__(self, name: Any, higher_is_better: Any, metrics: Mapping[str, Any]) -> None:
        name = name or "time"
        if not isinstance(name, str):
            raise _core.Error(f"tunekit: objective is {shown(name)}, want the name of one column of the results")
        if name not in (*MEASURED, *SENSED, *metrics):
            raise _core.Error(f"tunekit: objective '{name}' is no column of the results, want one of {', '.join([*MEASURED, *metrics])}, or metrics= with that name")
        if higher_is_better is None and name not in HIGHER_IS_BETTER:
            raise _core.Error(f"tunekit: nobody knows whether more of '{name}' is better, want objective_higher_is_better=True or False")
        self.name = name
        self.higher = HIGHER_IS_BETTER[name] if higher_is_better is None else bool(higher_is_better)

    def __bool__(self) -> bool:
        """Whether it is something else than the time that was measured."""
        return self.name != "time" or self.higher

    def text(self) -> str:
        """What it is, in words, for a log; empty for the time that was measured."""
        return f"{'most' if self.higher else 'least'} {self.name}" if self else ""

    def of(self, row: Mapping[str, Any]) -> float | None:
        """Its value in a row, by which rows are compared, lower better; None where it is no number."""
        value = pythons(row.get(self.name))
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
            return None
        return -float(value) if self.higher else float(value)

    def cost(self, row: Mapping[str, Any]) -> float | Failed:
        """What a search lowers: a positive number."""
        value = self.of(row)
        if value is None:
            return Failed(f"{self.name} is {shown(row.get(self.name))}, want a number", kind="bad_cost")
        return cost_of(abs(value) if self.higher and value < 0 else value, self.higher)

    def best(self, rows: list[dict[str, Any]]) -> dict[str, Any]:
        """The row with the best value, the first of several; empty where there is none."""
        found = [(value, k) for k, row in enumerate(rows) if (value := self.of(row)) is not None]
        return rows[min(found)[1]] if found else {}


def checked_metrics(metrics: Any) -> dict[str, str | Callable[[dict[str, Any]], Any]]:
    """Names with texts or functions. Raises: Error for anything else."""
    if not metrics:
        return {}
    if not isinstance(metrics, Mapping):
        raise _core.Error(f"tunekit: metrics is {shown(metrics)}, want a dict of names with texts or functions")
    for name, how in metrics.items():
        if not isinstance(name, str) or not (isinstance(how, str) or callable(how)):
            raise _core.Error(f"tunekit: metrics: {shown(name)} is {shown(how)}, want a name with a text or a function of the row")
    return dict(metrics)


def add_metrics(row: dict[str, Any], metrics: Mapping[str, Any]) -> None:
    """Computes the metrics one after another, each of which sees those before it. Raises: Error where one cannot be computed."""
    for name, how in metrics.items():
        if isinstance(how, str):
            value = evaluated(f"metric '{name}'", how, row)
        else:
            try:
                value = how(row)
            except Exception as e:
                raise _core.Error(f"tunekit: metric '{name}' threw {type(e).__name__}: {e}, want a function of a row: {listed(row)}") from e
        row[name] = plain(value)


def plain(value: Any) -> Any:
    """A value that json writes: numpy's numbers and arrays as Python's."""
    return value.tolist() if hasattr(value, "tolist") else value
