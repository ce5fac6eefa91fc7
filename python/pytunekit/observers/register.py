# SPDX-License-Identifier: MIT
"""What scripts import from `kernel_tuner.observers.register`; the door refuses it."""

from .observer import BenchmarkObserver


class RegisterObserver(BenchmarkObserver):
    """The registers of a thread."""
