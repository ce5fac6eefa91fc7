# SPDX-License-Identifier: MIT
"""What scripts take from `kernel_tuner.util`, under the same names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from . import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def get_best_config(results: Iterable[dict[str, Any]], objective: str, objective_higher_is_better: bool = False) -> dict[str, Any]:
    """The row with the best value of a column; one that failed has none.

    Raises: Error where no row has one.
    """
    from ._space import pythons

    def is_number(value: Any) -> bool:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and value == value

    rows = [row for row in results if "__error__" not in row and is_number(pythons(row.get(objective)))]
    if not rows:
        raise _core.Error(f"tunekit: no result has a number '{objective}', want the name of a column")
    return (max if objective_higher_is_better else min)(rows, key=lambda row: row[objective])


def get_config_string(params: Mapping[str, Any], keys: Iterable[str] | None = None, units: Mapping[str, str] | None = None) -> str:
    """A row in a line, with three digits behind the point: "tile=8, time=0.123ms"."""
    wanted = list(params) if not keys else list(keys)

    def said(name: str, value: Any) -> str:
        unit = units.get(name, "") if isinstance(units, Mapping) else ""
        return f"{name}={value:.3f}{unit}" if isinstance(value, float) else f"{name}={value}{unit}"

    return ", ".join(said(name, value) for name, value in params.items() if name in wanted)
