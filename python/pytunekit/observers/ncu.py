# SPDX-License-Identifier: MIT
"""What scripts import from `kernel_tuner.observers.ncu`; the door refuses it."""

from .observer import PrologueObserver


class NCUObserver(PrologueObserver):
    """Counters of Nsight Compute."""
