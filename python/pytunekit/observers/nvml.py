# SPDX-License-Identifier: MIT
"""What scripts import from `kernel_tuner.observers.nvml`; the door refuses it."""

from __future__ import annotations

from .observer import BenchmarkObserver, refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class NVMLObserver(BenchmarkObserver):
    """Energy, power, clocks and temperature."""


def get_nvml_gr_clocks(device: int = 0, n: int | None = None, quiet: bool = False) -> Any:
    """Raises: Error."""
    return refused("get_nvml_gr_clocks")


def get_nvml_mem_clocks(device: int = 0, n: int | None = None, quiet: bool = False) -> Any:
    """Raises: Error."""
    return refused("get_nvml_mem_clocks")


def get_nvml_pwr_limits(device: int = 0, n: int | None = None, quiet: bool = False) -> Any:
    """Raises: Error."""
    return refused("get_nvml_pwr_limits")
