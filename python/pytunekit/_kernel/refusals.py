# SPDX-License-Identifier: MIT
"""What the door does not do, with what to do instead. Values that mean nothing are taken without a word."""

from __future__ import annotations

from collections.abc import Iterable

from .. import _core
from .._space import kind, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CLOCKS = ("nvml_gr_clock", "nvml_mem_clock", "nvml_pwr_limit", "cuda_sm_percentage", "tegra_gr_clock", "amdsmi_gr_clock", "amdsmi_mem_clock", "amdsmi_pwr_limit")

OBSERVERS = {
    "NVMLObserver": "metrics= may name nvml_energy, nvml_power, core_freq, mem_freq and temperature, which are then read; remove it",
    "AMDSMIObserver": "energy and power are not read here; remove it",
    "NCUObserver": "counters are not read here; run the best configuration under ncu",
    "PMTObserver": "on NVIDIA metrics= may name nvml_energy, which is then read; remove it",
    "PowerSensorObserver": "on NVIDIA metrics= may name nvml_energy, which is then read; remove it",
    "TegraObserver": "energy and clocks are not read here; remove it",
    "RegisterObserver": "metrics= may name num_regs, which is then read; remove it",
    "AccuracyObserver": "give answer= with atol=, or verify= with a bound of your own: an error is no column here",
    "JuliaJITWarmup": "there is no Julia here",
}
OWN = "a class of your own cannot stand between launches in another process; outputs are renewed by themselves, and metrics= computes columns from time and parameters"


def refuse_observers(observers: Any) -> None:
    """Raises: Error with what replaces the first."""
    if not observers:
        return
    for one in observers if isinstance(observers, Iterable) else [observers]:
        names = [base.__name__ for base in type(one).__mro__]
        instead = next((OBSERVERS[name] for name in names if name in OBSERVERS), OWN)
        raise _core.Error(f"tunekit: observers has {kind(one)}, which pytunekit does not have: {instead}")


def refuse_clocks(parameters: dict[str, list[Any]]) -> None:
    """Raises: Error for a parameter that would set the device's clocks or power."""
    for name in CLOCKS:
        if name in parameters:
            what = "remove it: it has one value" if len(parameters[name]) == 1 else f"set it outside, with nvidia-smi, and call once for each of its {len(parameters[name])} values"
            raise _core.Error(f"tunekit: the parameter '{name}' sets the device, which pytunekit does not: {what}")


def refuse_others(simulation_mode: Any, texmem_args: Any, objectives: Any) -> None:
    """Raises: Error for what we do not have."""
    if simulation_mode:
        raise _core.Error(
            f"tunekit: simulation_mode is {shown(simulation_mode)}, which pytunekit does not have: score_strategy replays caches and T4 files, "
            "or pytunekit.minimize over a function that looks costs up"
        )
    if texmem_args:
        raise _core.Error("tunekit: texmem_args is given, which pytunekit does not have: read the array by an argument, with __ldg")
    if objectives:
        raise _core.Error(f'tunekit: objectives is {shown(objectives)}, which this call does not have: want one objective=, or pytunekit.minimize(..., recipe="parego")')


def refuse_for_language(language: str, cmem_args: Any, smem_args: Any) -> None:
    """Raises: Error for what CUDA alone has."""
    if language == "CUDA":
        return
    instead = "an argument in __constant memory" if language == "OpenCL" else "an argument"
    if cmem_args:
        raise _core.Error(f"tunekit: cmem_args is of CUDA alone, and this is {language}, want {instead}")
    if smem_args:
        instead = "an array declared __local in the kernel, of a size that is a macro" if language == "OpenCL" else "an array in the function"
        raise _core.Error(f"tunekit: smem_args is of CUDA alone, and this is {language}, want {instead}")
