# SPDX-License-Identifier: MIT
"""Arrays in and out of the parts: any buffer, or lists of numbers; numpy's where it is installed."""

from __future__ import annotations

from array import array

from . import _core
from ._space import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


def taken(name: str, values: Any, axes: int) -> Any:
    """Numbers as a buffer: `values` itself where it is one, else a copy. Raises: Error for what has no numbers."""
    try:
        return memoryview(values)
    except TypeError:
        pass
    as_numpy = getattr(values, "__array__", None)  # such as a frame of pandas
    if callable(as_numpy):
        return as_numpy()
    try:
        if axes == 1:
            return memoryview(_row(values))
        rows = [_row(row) for row in values]
    except (TypeError, OverflowError):
        raise _core.Error(f"tunekit: {name} is {shown(values)}, want {'numbers' if axes == 1 else 'rows of numbers'}") from None
    if not rows or not len(rows[0]) or any(len(row) != len(rows[0]) for row in rows):
        raise _core.Error(f"tunekit: {name} has {len(rows)} rows of {sorted({len(row) for row in rows})} numbers, want rows of one length")
    whole = array("d")
    for row in rows:
        whole.extend(row)
    return memoryview(whole).cast("B").cast("d", (len(rows), len(rows[0])))


def _row(values: Iterable[Any]) -> array[float]:
    if isinstance(values, str):
        raise TypeError
    return array("d", values)


def given(data: bytearray, kind: str, *shape: int) -> Any:
    """Numbers as an array of numpy where that is installed, else as a memoryview; without a copy."""
    try:
        from numpy import frombuffer  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        whole: Any = memoryview(data)
        flat = whole.cast(kind)
        return flat.cast("B").cast(kind, shape) if len(shape) > 1 and 0 not in shape else flat
    return frombuffer(data, kind).reshape(shape)


def rows_in(view: Any) -> int:
    """The number of rows of what `taken` gave."""
    shape = view.shape
    return int(shape[0]) if shape else 0
