# SPDX-License-Identifier: MIT
"""Calling a function for a configuration: here, or in a child process that may crash or hang."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from . import _core
from ._space import shown
from ._tuner import Failed, count, number, parts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    Measured: TypeAlias = tuple[float, str, str, float, dict[str, float]]
    """Cost, kind and message of a failure, seconds, numbers beside the cost."""


class Limits:
    """What a call in a child process may take.

    `seconds` of wall time; `memory` in bytes of address space, without a limit by default.

    Raises: Error for what is not positive.
    """

    def __init__(self, seconds: float = 10.0, memory: int | None = None) -> None:
        self.seconds = number("Limits: seconds", seconds)
        if not self.seconds > 0:
            raise _core.Error(f"tunekit: Limits: seconds is {seconds}, want > 0")
        self.memory = None if memory is None else count("Limits: memory", memory, 1)

    seconds: float
    memory: int | None

    def __repr__(self) -> str:
        return f"Limits(seconds={self.seconds}, memory={self.memory})"


def check_function(f: object) -> None:
    if not callable(f):
        raise _core.Error(f"tunekit: {shown(f)} is not a function, want one that takes the parameters by name and returns a cost")


def limits_of(isolated: bool | Limits) -> Limits | None:
    """Those of a child process; None for a call in this one."""
    if isolated is False:
        return None
    import os

    if not hasattr(os, "fork"):
        raise _core.Error("tunekit: isolated needs fork, which this system lacks; want isolated=False")
    if isolated is True:
        return Limits()
    if not isinstance(isolated, Limits):
        raise _core.Error(f"tunekit: isolated is {shown(isolated)}, want True, False or Limits(seconds=10)")
    return isolated


def call(f: Callable[..., Any], limits: Limits | None, configuration: Mapping[str, Any]) -> Measured:
    """Calls f, in a child process where there are limits. What it raises is a failure; a KeyboardInterrupt goes through."""
    return called(f, configuration) if limits is None else called_in_child(f, limits, configuration)


def called(f: Callable[..., Any], configuration: Mapping[str, Any]) -> Measured:
    began = time.perf_counter()
    try:
        outcome = f(**configuration)
    except Failed as e:
        outcome = e
    except MemoryError as e:
        outcome = Failed(f"threw: MemoryError: {e}", kind="out_of_memory")
    except Exception as e:
        outcome = Failed(f"threw: {type(e).__name__}: {e}", kind="crash")
    took = time.perf_counter() - began
    cost, kind, why, numbers = parts_of(outcome)
    if not kind and (bad := _core.bad_cost(cost)):
        kind, why = "bad_cost", bad
    return cost, kind, why, took, numbers


def called_in_child(f: Callable[..., Any], limits: Limits, configuration: Mapping[str, Any]) -> Measured:
    import os
    import select
    import signal

    flush()  # else the child would write it again
    began = time.perf_counter()
    child = _core.Child(lambda to: answer(f, limits, configuration, to))
    try:
        said = bytearray()
        open_ = True
        ended = False
        while not is_whole(said) and len(said) <= MOST_SAID and not ended and (left := began + limits.seconds - time.perf_counter()) > 0:
            ended = child.ended()  # before the look into the pipe, which then holds all that it said
            if select.select([child.pipe()] if open_ else [], [], [], 0 if ended else min(left, 0.02))[0]:
                piece = os.read(child.pipe(), 65536)
                said += piece
                open_, ended = bool(piece), ended and not piece
    finally:
        status = child.end()  # what an interrupt leaves out here, the object does when it goes
    took = time.perf_counter() - began
    none = float("nan")
    if is_whole(said):
        outcome = outcome_in(said)
        if isinstance(outcome, str):
            raise _core.Error(outcome)
        return outcome or (none, "crash", "answered nonsense", took, {})
    if len(said) > MOST_SAID:
        return none, "crash", "answered nonsense", took, {}
    if not ended:
        return none, "run_timeout", f"still ran after {limits.seconds:g} s", took, {}
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        names = {int(s): f" ({s.name})" for s in signal.Signals}  # those of real time have none
        return none, "crash", f"ended by signal {number}{names.get(number, '')}", took, {}
    return none, "exited", f"left with status {os.WEXITSTATUS(status)}", took, {}


def flush() -> None:
    import sys

    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # as where it was closed before Python began
            stream.flush()


MOST_SAID = 2**26
"""Bytes that a child may say: what it says beyond them is no answer."""


def outcome_in(said: bytearray) -> Measured | str | None:
    """What a child has said; None where that is no outcome: what ran in it may have written there."""
    import json

    try:
        outcome = json.loads(said[8 : 8 + int.from_bytes(said[:8], "little")])
        if isinstance(outcome, str):
            return outcome
        cost, kind, why, seconds, numbers = outcome
        return float(cost), str(kind), str(why), float(seconds), {str(name): float(x) for name, x in numbers.items()}
    except (ValueError, TypeError, AttributeError, RecursionError, OverflowError):
        return None


def is_whole(said: bytearray) -> bool:
    """Whether a child has said all: the length of its text, and the text."""
    return len(said) >= 8 and len(said) >= 8 + int.from_bytes(said[:8], "little")


def answer(f: Callable[..., Any], limits: Limits, configuration: Mapping[str, Any], to: int) -> None:
    """What the child does, before it ends."""
    import json
    import os

    if limits.memory is not None:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
    try:
        said: Measured | str = called(f, configuration)
    except SystemExit as e:
        said = (float("nan"), "exited", f"left by SystemExit({e.code!r})", 0.0, {})
    except _core.Error as e:  # it gave no number
        said = str(e)
    flush()
    text = json.dumps(said).encode()
    with os.fdopen(to, "wb") as out:
        out.write(len(text).to_bytes(8, "little") + text)
