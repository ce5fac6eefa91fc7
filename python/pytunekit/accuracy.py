# SPDX-License-Identifier: MIT
"""What scripts import from `kernel_tuner.accuracy`. The door takes none of it, and says what to do instead."""

from __future__ import annotations

from collections.abc import Mapping

from . import _core
from .observers import OutputObserver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Tunable(dict[object, object]):
    """An argument that a parameter's value chooses among several. As an argument of `tune_kernel` it is refused: call once for each value."""

    def __init__(self, param_key: Any, arrays: Any) -> None:
        super().__init__(arrays if isinstance(arrays, Mapping) else enumerate(arrays))
        self.param_key = param_key


class TunablePrecision(Tunable):
    """The same with one array in several types. As an argument it is refused: call once for each type."""

    def __init__(self, param_key: Any, array: Any, dtypes: Any = None) -> None:
        super().__init__(param_key, dtypes or {})
        self.array = array


class AccuracyObserver(OutputObserver):
    """An error as a column of the results. It is refused: `verify=` takes a bound of your own."""


def error_metric_from_name(user_key: str, EPS: float = 1e-8) -> Any:
    """Raises: Error. Errors are no columns here: `verify=` takes a function of your own."""
    raise _core.Error(f"tunekit: error_metric_from_name({user_key!r}) is not here, want verify= with a function of your own")
