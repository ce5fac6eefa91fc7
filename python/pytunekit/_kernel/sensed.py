# SPDX-License-Identifier: MIT
"""What an NVIDIA device tells of a configuration beside its time: a column for each that a metric or the objective names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import CodeType

from .. import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SENSED = ("num_regs", "core_freq", "mem_freq", "temperature", "nvml_power", "nvml_energy")
"""Registers of a thread, MHz, MHz, degrees Celsius, watts, and joules of one launch."""

SECONDS = 1.0
"""How long a kernel is launched again and again for them."""


def asked_for(metrics: Mapping[str, Any], objective: str, parameters: Mapping[str, Any], language: str) -> list[str]:
    """Those that are wanted; a parameter or a metric of that name is the caller's own. Raises: Error where they are, and the language is not CUDA."""
    free = [name for name in SENSED if name not in metrics and name not in parameters]
    names = [name for name in free if name == objective or any(mentions(how, name) for how in metrics.values())]
    if names and language != "CUDA":
        raise _core.Error(f"tunekit: {names[0]} is read on NVIDIA's devices alone, and this is {language}, want metrics of time and parameters")
    return names


def mentions(how: str | Callable[..., Any], name: str) -> bool:
    """Whether a metric's text, or the code of its function, has that name."""
    if isinstance(how, str):
        return re.search(rf"\b{name}\b", how) is not None
    return has(getattr(how, "__code__", None), name)


def has(code: CodeType | None, name: str) -> bool:
    if code is None:
        return False
    return any(has(one, name) if isinstance(one, CodeType) else name in one if isinstance(one, tuple) else one == name for one in code.co_consts)


def columns(wanted: Sequence[str], names: Sequence[str], values: Sequence[float]) -> dict[str, float]:
    """The wanted ones of the numbers that were read. Raises: Error for one that the device's driver does not tell."""
    read = {name: value for name, value in zip(names, values) if name in wanted}
    for name, value in read.items():
        if value != value:
            raise _core.Error(f"tunekit: the device's driver does not tell {name}, want metrics without it")
    return read
