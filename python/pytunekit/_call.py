# SPDX-License-Identifier: MIT
"""Calling a function for a configuration: here, or in a child process that may crash or hang."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping

from . import _core
from ._space import shown, written
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
    """Calls f, in a child process where there are limits. What it raises is a failure; KeyboardInterrupt and SystemExit go through."""
    return called(f, configuration) if limits is None else called_in_child(f, limits, configuration)


def called(f: Callable[..., Any], configuration: Mapping[str, Any]) -> Measured:
    began = time.perf_counter()
    try:
        outcome = f(**configuration)
    except Failed as e:
        outcome = e
    except MemoryError as e:
        outcome = Failed(f"threw: MemoryError: {written(e)}", kind="out_of_memory")
    except Exception as e:
        outcome = Failed(f"threw: {type(e).__name__}: {written(e)}", kind="crash")
    took = time.perf_counter() - began
    try:
        cost, kind, why, numbers = parts_of(outcome)
        _core.check_kind(kind)
    except _core.Error as e:
        return float("nan"), "bad_cost", no_result(e), took, {}
    if not kind and (bad := _core.bad_cost(cost)):
        kind, why = "bad_cost", bad
    return cost, kind, why[:MOST_WHY], took, numbers


MOST_WHY = 10_000
"""Characters of a message that is kept, as in a log."""
NO_RESULT = "gave no result: "


def no_result(e: _core.Error) -> str:
    """Says of a call what is wrong with what it returned."""
    return NO_RESULT + str(e).removeprefix("tunekit: ")


def called_in_child(f: Callable[..., Any], limits: Limits, configuration: Mapping[str, Any]) -> Measured:
    flush()  # else the child would write it again
    one = InChild(f, limits, configuration)
    try:
        while (measured := one.outcome()) is None:
            wait_for(one.pipe(), 0.02)
    finally:
        one.end()  # what an interrupt leaves out here, the object does when it goes
    return measured


class InChild:
    """A call in a child process of this one, which goes on meanwhile."""

    def __init__(self, f: Callable[..., Any], limits: Limits, configuration: Mapping[str, Any], keeps: Callable[[], None] | None = None) -> None:
        """In the child `keeps` is called first: what the function shall not have ends there."""
        import os

        self._limits = limits
        self._said = bytearray()
        self._open = True
        self._nonce = nonce = os.urandom(16)  # so that nothing else which is written into the pipe is an answer
        self._began = time.perf_counter()
        self._child = _core.Child(lambda to, _: answer(f, limits, configuration, to, nonce, keeps), 0)
        os.set_blocking(self._child.pipe(), False)

    def pipe(self) -> list[int]:
        """What tells that it has said something; nothing where it will say no more."""
        return [self._child.pipe()] if self._open else []

    def end(self) -> int:
        """Ends it with all of its process group."""
        return self._child.end()

    def outcome(self) -> Measured | None:
        """What came of it, and it has ended; None while it runs."""
        ended = self._child.ended()  # before the look into the pipe, which then holds all that it said
        self._hear()
        took = time.perf_counter() - self._began
        none = float("nan")
        if is_odd(self._said, self._nonce):
            self.end()
            return none, "crash", "answered nonsense", took, {}
        if (text := text_in(self._said)) is not None:
            self.end()
            return outcome_in(text) or (none, "crash", "answered nonsense", took, {})
        if ended:
            return none, *end_in_words(self.end()), took, {}
        if took < self._limits.seconds:
            return None
        self.end()
        return none, "run_timeout", f"still ran after {self._limits.seconds:g} s", took, {}

    def _hear(self) -> None:
        import os

        while self._open and len(self._said) <= MOST_SAID:
            try:
                piece = os.read(self._child.pipe(), 65536)
            except BlockingIOError:
                return
            self._said += piece
            self._open = bool(piece)


def end_in_words(status: int) -> tuple[str, str]:
    """Kind and message of a child that left without an answer."""
    import os
    import signal

    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        names = {int(s): f" ({s.name})" for s in signal.Signals}  # those of real time have none
        return "crash", f"ended by signal {number}{names.get(number, '')}"
    return "exited", f"left with status {os.WEXITSTATUS(status)}"


def wait_for(pipes: Iterable[int], seconds: float | None) -> list[int]:
    """Those of some pipes and sockets that have something to say, or were closed; after that time, none."""
    import select

    poll = select.poll()  # select takes no descriptors beyond 1023
    for pipe in pipes:
        poll.register(pipe, select.POLLIN)
    return [pipe for pipe, _ in poll.poll(None if seconds is None else 1000 * seconds)]


def flush() -> None:
    import sys

    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # as where it was closed before Python began
            stream.flush()


MOST_SAID = 2**26
"""Bytes that a child may say: what it says beyond them is no answer."""


def framed(measured: Measured | str) -> bytes:
    """An outcome, or what is wrong with the run, as a child says it."""
    import json

    text = json.dumps(measured).encode()
    return len(text).to_bytes(8, "little") + text


def text_in(said: bytes | bytearray, at: int = 16) -> bytes | None:
    """The text that stands whole at that place, behind its length."""
    begin = at + 8
    end = begin + int.from_bytes(said[at:begin], "little")
    return bytes(said[begin:end]) if len(said) >= max(begin, end) else None


def is_odd(said: bytearray, nonce: bytes) -> bool:
    """Whether a child has said what is no answer: what ran in it may have written there."""
    return len(said) > MOST_SAID or not nonce.startswith(said[:16])


def outcome_in(text: bytes) -> Measured | None:
    """What a child has said; None where that is no outcome."""
    import json

    try:
        cost, kind, why, seconds, numbers = json.loads(text)
        return float(cost), str(kind), str(why), float(seconds), {str(name): float(x) for name, x in numbers.items()}
    except (ValueError, TypeError, AttributeError, RecursionError, OverflowError):
        return None


def answer(
    f: Callable[..., Any], limits: Limits, configuration: Mapping[str, Any], to: int, nonce: bytes, keeps: Callable[[], None] | None
) -> None:
    """What the child does, before it ends."""
    import os

    if keeps is not None:
        keeps()
    if limits.memory is not None:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
    try:
        said = called(f, configuration)
    except SystemExit as e:
        said = (float("nan"), "exited", f"left by SystemExit({shown(e.code)})", 0.0, {})
    flush()
    with os.fdopen(to, "wb") as out:
        out.write(nonce + framed(said))
