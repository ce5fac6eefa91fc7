# SPDX-License-Identifier: MIT
"""What scripts import from `kernel_tuner.observers.powersensor`; the door refuses it."""

from .observer import BenchmarkObserver


class PowerSensorObserver(BenchmarkObserver):
    """Energy by a PowerSensor."""
