# SPDX-License-Identifier: MIT
"""Texts that speak of a configuration: its parameters replaced by their values, and what Python makes of the rest."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from .. import _core
from .._space import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


def replaced(text: str, values: Mapping[str, Any]) -> str:
    """The text with each whole identifier that is a name replaced by its value, as `str` writes it."""
    return IDENTIFIER.sub(lambda at: str(values[at[0]]) if at[0] in values else at[0], text)


def evaluated(what: str, text: str, values: Mapping[str, Any]) -> Any:
    """What Python makes of such a text. Raises: Error, which begins with `what`, where it makes nothing of it."""
    try:
        return eval(replaced(text, values), dict(known_words()))
    except Exception as e:
        raise _core.Error(f"tunekit: {what} {shown(text)}: {type(e).__name__}: {e}, want arithmetic over the parameters {', '.join(values)}") from None


def known_words() -> Mapping[str, Any]:
    """What a text may use beside parameters and Python's own functions."""
    import math

    import numpy

    return {"math": math, "np": numpy, "numpy": numpy}


def called(what: str, f: Callable[[dict[str, Any]], Any], values: Mapping[str, Any]) -> Any:
    """What a function of the caller makes of a configuration. Raises: Error, which begins with `what`, where it raises."""
    try:
        return f(dict(values))
    except Exception as e:
        raise _core.Error(f"tunekit: {what} is a function that threw {type(e).__name__}: {e} for {listed(values)}") from e


def listed(values: Mapping[str, Any]) -> str:
    """A configuration in a line: "tile=8, unroll=2"."""
    return ", ".join(f"{name}={value}" for name, value in values.items())


def without_comments(text: str) -> str:
    """The text of a kernel without comments, and with nothing in its quotes: what is left is the code."""
    return re.sub(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"", lambda at: '""' if at[0][0] == '"' else " ", text, flags=re.DOTALL)
