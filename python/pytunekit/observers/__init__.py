# SPDX-License-Identifier: MIT
"""What scripts import from `kernel_tuner.observers`. The classes can be subclassed and made; the door refuses each, and says what replaces it."""

from .observer import BenchmarkObserver, ContinuousObserver, IterationObserver, OutputObserver, PrologueObserver

__all__ = ["BenchmarkObserver", "ContinuousObserver", "IterationObserver", "OutputObserver", "PrologueObserver"]
