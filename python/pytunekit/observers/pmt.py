# SPDX-License-Identifier: MIT
"""What scripts import from `kernel_tuner.observers.pmt`; the door refuses it."""

from .observer import BenchmarkObserver


class PMTObserver(BenchmarkObserver):
    """Energy by the PMT library."""
