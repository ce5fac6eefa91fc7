# SPDX-License-Identifier: MIT
"""What other packages minimise or maximise, as a cost."""

from __future__ import annotations

from ._tuner import Failed


def cost_of(value: float, maximize: bool) -> float | Failed:
    """A positive number as it is, or its inverse where it is a score; else why it is not a cost: models take logarithms."""
    value = float(value)
    cost = 1 / value if maximize and value else value
    if 0 < value and 0 < cost < float("inf"):
        return cost
    return Failed(f"the {'score' if maximize else 'cost'} is {value:g}, want a positive number", kind="bad_cost")
