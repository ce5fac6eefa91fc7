# SPDX-License-Identifier: MIT
"""Children for isolated calls that are forked where no other thread runs: in a process made for that."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from socket import SHUT_RDWR, socket, socketpair
from threading import Lock, active_count

from . import _core
from ._call import InChild, flush, framed, outcome_in, text_in, wait_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from ._call import Limits, Measured

    Work: TypeAlias = Callable[[int, int], tuple[Callable[..., Any], Mapping[str, Any]]]
    """The function and the configuration of a task and an index."""


class Zygote:
    """A fork of this process that forks a child for each call. A lock that another thread holds at a fork stays held in
    the child for ever; here one fork may meet that, not each, and one that has met it by what it writes to is made again.
    """

    def __init__(self, work: Work, limits: Limits, at_once: int) -> None:
        self.alone = active_count() == 1
        self._ours: list[socket] = []
        self._process: _core.Child | None = None
        try:
            for _ in range(MOST_FORKS):
                self._begin(work, limits, at_once)
                if self._ready():
                    break
                self.close()
            else:
                raise _core.Error(f"tunekit: isolated: {MOST_FORKS} forks found a stream that another thread writes to, want one that rests at times")
        except BaseException:
            self.close()
            raise
        self._free = list(self._ours)

    def _begin(self, work: Work, limits: Limits, at_once: int) -> None:
        theirs: list[socket] = []
        with making:
            try:
                for _ in range(at_once):  # a call at a time over each
                    one, other = socketpair()
                    self._ours.append(one)
                    theirs.append(other)
                self._process = _core.Child(lambda to: serve(work, limits, self._ours, theirs, to))
            finally:
                for other in theirs:
                    other.close()

    def _ready(self) -> bool:
        assert self._process is not None
        return bool(wait_for([self._process.pipe()], 1.0))

    def call(self, task: int, index: int) -> Measured | None:
        """What a call gave; None where this process has ended. From several threads."""
        said = bytearray()
        try:
            channel = self._free.pop()
            channel.sendall(task.to_bytes(8, "little") + index.to_bytes(8, "little"))
            while (text := text_in(said, 0)) is None and (piece := channel.recv(65536)):
                said += piece
        except (OSError, IndexError):  # none is left that could be answered
            return None
        if text is None:
            return None
        self._free.append(channel)
        if (measured := outcome_in(text)) is None:
            raise _core.Error(text.decode())
        return measured

    def close(self) -> None:
        """Ends the calls that are out, with what they have begun, and the process."""
        try:
            for channel in self._ours:
                try:
                    channel.shutdown(SHUT_RDWR)
                except OSError:  # it has ended
                    pass
            until = time.perf_counter() + 5
            while self._process is not None and not self._process.ended() and time.perf_counter() < until:
                time.sleep(0.0005)
        finally:
            if self._process is not None:
                self._process.end()
            while self._ours:
                self._ours.pop().close()


MOST_FORKS = 30
making = Lock()  # so that no process has the channels of another, whose end would then not be seen


def serve(work: Work, limits: Limits, ours: list[socket], theirs: list[socket], to: int) -> None:
    """What the process does: an order is a task and an index, the answer an outcome. Where a channel is closed, its call is over."""
    import os

    global making
    making = Lock()
    touch_streams()
    os.write(to, b".")
    os.close(to)
    for channel in ours:
        channel.close()
    channels = {channel.fileno(): channel for channel in theirs}
    calls: dict[int, InChild] = {}  # by the channel

    def keeps_none() -> None:
        for channel in channels.values():
            channel.close()

    while channels:
        ready = wait_for([*channels, *(pipe for call in calls.values() for pipe in call.pipe())], 0.02 if calls else None)
        for at in [at for at in ready if at in channels]:
            order = channels[at].recv(16)
            if not order:
                if at in calls:
                    calls.pop(at).end()
                channels.pop(at).close()
                continue
            try:
                f, configuration = work(int.from_bytes(order[:8], "little"), int.from_bytes(order[8:], "little"))
                calls[at] = InChild(f, limits, configuration, keeps_none)
            except _core.Error as e:  # there can be no child
                said(channels[at], framed(str(e)))
        for at, call in list(calls.items()):
            if (measured := call.outcome()) is not None:
                del calls[at]
                said(channels[at], framed(measured))


def said(channel: socket, text: bytes) -> None:
    try:
        channel.sendall(text)
    except OSError:  # nobody hears it any more
        pass


def touch_streams() -> None:
    """Waits for what another thread was writing to when this process was forked: for ever, where it is a stream of Python."""
    import sys

    flush()
    logging = sys.modules.get("logging")
    for reference in getattr(logging, "_handlerList", []):
        try:
            reference().stream.flush()
        except Exception:  # it has none, or that is closed
            pass


class Children:
    """The isolated calls of a run. Where other threads ran when it began, a call that comes to its limit is made once
    more in a later fork: it may have waited for a lock that one of them held.
    """

    def __init__(self, work: Work, limits: Limits, at_once: int) -> None:
        self._parts = work, limits, at_once
        self._closed = False
        self._warned = False
        flush()  # else the children would write it again
        self._zygote = Zygote(*self._parts)
        self._all = [self._zygote]

    def call(self, task: int, index: int) -> Measured:
        zygote = self._zygote
        measured = zygote.call(task, index)
        if self._closed or (measured is not None and (zygote.alone or measured[1] != "run_timeout")):
            return measured or LOST
        if measured is not None and not self._warned:
            self._warned = True
            warnings.warn(
                "tunekit: isolated: a call came to its limit and is made once more, as other threads ran when its process was forked: "
                "it may wait for a lock that one of them held", stacklevel=2,
            )
        other = Zygote(*self._parts)
        self._all.append(other)
        again = other.call(task, index)
        if measured is None or (again is not None and again[1] != "run_timeout"):
            self._zygote = other  # calls that are out go on in the one before
        else:
            other.close()
            self._all.remove(other)
        return again or LOST

    def close(self) -> None:
        self._closed = True
        for zygote in self._all:
            zygote.close()


LOST: Measured = (float("nan"), "lost", "was lost with the process that forks the children", 0.0, {})
