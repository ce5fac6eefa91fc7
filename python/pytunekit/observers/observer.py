# SPDX-License-Identifier: MIT
"""The classes that observers derive from."""

from __future__ import annotations

from .. import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class BenchmarkObserver:
    """What would be called around each launch. Kernels run in a process of their own, so that none is."""

    def __init__(self, *args: Any, **how: Any) -> None:
        pass

    def register_device(self, dev: Any) -> None:
        """Is not called."""

    def before_start(self) -> None:
        """Is not called."""

    def after_start(self) -> None:
        """Is not called."""

    def during(self) -> None:
        """Is not called."""

    def after_finish(self) -> None:
        """Is not called."""

    def get_results(self) -> dict[str, Any]:
        """Is not called."""
        return {}


class IterationObserver(BenchmarkObserver):
    """Of each launch."""


class ContinuousObserver(BenchmarkObserver):
    """Of a time in which a kernel runs again and again."""


class OutputObserver(BenchmarkObserver):
    """Of what a kernel computes."""


class PrologueObserver(BenchmarkObserver):
    """Of a launch before those that are timed."""


def refused(name: str) -> Any:
    """Raises: Error that the function of that name is not here."""
    raise _core.Error(f"tunekit: {name} is not here: clocks and power limits are set outside, with nvidia-smi")
