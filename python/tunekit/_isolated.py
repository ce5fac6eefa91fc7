# SPDX-License-Identifier: MIT
"""Calling a function for a configuration: here, or in a child process that may crash or hang."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from . import _core
from ._tuner import Failed, parts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    Measured: TypeAlias = tuple[float, str, str, float]
    """Cost, kind and message of a failure, seconds."""


class Limits:
    """What a call in a child process may take.

    `seconds` of wall time; `memory` in bytes of address space, without a limit by default.
    """

    def __init__(self, seconds: float = 10.0, memory: int | None = None) -> None:
        if not seconds > 0:
            raise _core.Error(f"tunekit: Limits: seconds is {seconds}, want > 0")
        if memory is not None and memory <= 0:
            raise _core.Error(f"tunekit: Limits: memory is {memory}, want bytes > 0")
        self.seconds = seconds
        self.memory = memory


def called(f: Callable[..., Any], configuration: Mapping[str, Any]) -> Measured:
    """Calls f here. What it raises is a failure; a KeyboardInterrupt goes through."""
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
    cost, kind, why = parts_of(outcome)
    if not kind and not 0 < cost < float("inf"):
        is_ = "NaN" if cost != cost else "0" if cost == 0 else "negative" if cost < 0 else "infinite"
        kind, why = "bad_cost", f"the cost is {is_}, want a positive finite number"
    return cost, kind, why, took


def called_in_child(f: Callable[..., Any], configuration: Mapping[str, Any], limits: Limits) -> Measured:
    """Calls f in a forked child, which is killed at its limit with all of its process group."""
    import ctypes
    import marshal
    import os
    import select
    import signal
    import sys

    libc = ctypes.CDLL(None) if sys.platform == "linux" else None  # before the fork: loading takes locks
    sys.stdout.flush()
    sys.stderr.flush()
    came, goes = os.pipe()
    parent = os.getpid()
    began = time.perf_counter()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(came)
            os.setsid()
            if libc is not None:
                libc.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: nothing outlives a run
                if os.getppid() != parent:
                    os._exit(1)
            if limits.memory is not None:
                import resource

                resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
            try:
                said: Measured | str = called(f, configuration)
            except SystemExit as e:
                said = (float("nan"), "exited", f"left by SystemExit({e.code!r})", 0.0)
            except _core.Error as e:  # it gave no number
                said = str(e)
            text = marshal.dumps(said)
            with os.fdopen(goes, "wb") as out:
                out.write(len(text).to_bytes(8, "little") + text)
            sys.stdout.flush()
            sys.stderr.flush()
            status = 0
        finally:
            os._exit(status)
    data, ended = bytearray(), False
    deadline = began + limits.seconds
    try:
        os.close(goes)
        open_ = True
        while not ended and (left := deadline - time.perf_counter()) > 0:
            if open_ and select.select([came], [], [], left)[0]:
                piece = os.read(came, 65536)
                data += piece
                open_ = bool(piece) and not is_whole(data)  # what it started may hold the other end for longer
            elif not open_:
                ended = os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
                if not ended:
                    time.sleep(0.0005)
    finally:
        os.close(came)
        if not ended:
            os.kill(child, signal.SIGKILL)
        try:
            os.killpg(child, signal.SIGKILL)  # what it has left behind; until it is waited for, the number is its own
        except (ProcessLookupError, PermissionError):
            pass
        _, status = os.waitpid(child, 0)
    took = time.perf_counter() - began
    none = float("nan")
    if not ended:
        return none, "run_timeout", f"still ran after {limits.seconds:g} s", took
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return none, "crash", f"ended by signal {number} ({signal.Signals(number).name})", took
    if not is_whole(data):
        return none, "exited", f"left with status {os.WEXITSTATUS(status)}", took
    answer = marshal.loads(data[8:])
    if isinstance(answer, str):
        raise _core.Error(answer)
    cost, kind, why, seconds = answer
    return float(cost), str(kind), str(why), float(seconds)


def is_whole(data: bytearray) -> bool:
    """Whether a child has said all: the length of its text, and the text."""
    return len(data) >= 8 and len(data) >= 8 + int.from_bytes(data[:8], "little")


def caller_of(f: Callable[..., Any], isolated: bool | Limits) -> Callable[[Mapping[str, Any]], Measured]:
    """How minimize calls f."""
    if not callable(f):
        raise _core.Error(f"tunekit: {f!r} is no function, want one that takes the parameters by name and returns a cost")
    if isolated is False:
        return lambda configuration: called(f, configuration)
    import os

    if not hasattr(os, "fork"):
        raise _core.Error("tunekit: isolated needs fork, which this system lacks; want isolated=False")
    limits = Limits() if isolated is True else isolated
    return lambda configuration: called_in_child(f, configuration, limits)
