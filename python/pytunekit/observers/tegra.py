# SPDX-License-Identifier: MIT
"""What scripts import from `kernel_tuner.observers.tegra`; the door refuses it."""

from __future__ import annotations

from .observer import BenchmarkObserver, refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class TegraObserver(BenchmarkObserver):
    """Energy, power, clocks and temperature of a Tegra."""


def get_tegra_gr_clocks(n: int | None = None, quiet: bool = False) -> Any:
    """Raises: Error."""
    return refused("get_tegra_gr_clocks")
