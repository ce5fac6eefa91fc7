# SPDX-License-Identifier: MIT
"""Children for isolated calls that are forked where no other thread runs: in a process made for that."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from threading import active_count

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
        for _ in range(MOST_FORKS):
            self._process = _core.Child(lambda to, channels: serve(work, limits, channels, to), at_once)  # a call at a time over each
            try:
                if wait_for([self._process.pipe()], 1.0):
                    break
                self._process.end()
            except BaseException:
                self._process.end()
                raise
        else:
            raise _core.Error(f"tunekit: isolated: {MOST_FORKS} forks found a stream that another thread writes to, want one that rests at times")
        self._free = self._process.channels()

    def call(self, task: int, index: int) -> Measured | None:
        """What a call gave; None where this process has ended. From several threads."""
        import os

        said = bytearray()
        try:
            channel = self._free.pop()
            os.write(channel, task.to_bytes(8, "little") + index.to_bytes(8, "little"))
            while (text := text_in(said, 0)) is None and (piece := os.read(channel, 65536)):
                said += piece
        except (OSError, IndexError):  # none is left that could be answered
            return None
        if text is None:
            return None
        self._free.append(channel)
        if (measured := outcome_in(text)) is None:
            raise _core.Error(text.decode())
        return measured

    def hang_up(self) -> None:
        """Ends the calls that are out, with what they have begun, and the process. Who waits for a call hears of it."""
        self._free.clear()
        self._process.hang_up()

    def end(self) -> None:
        """The same where nobody waits."""
        self._process.end()


MOST_FORKS = 30


def serve(work: Work, limits: Limits, channels: list[int], to: int) -> None:
    """What the process does: an order is a task and an index, the answer an outcome. Where a channel is closed, its call is over."""
    import os

    touch_streams()
    os.write(to, b".")
    os.close(to)
    open_ = set(channels)
    calls: dict[int, InChild] = {}  # by the channel

    def keeps_none() -> None:
        for channel in open_:
            os.close(channel)

    while open_:
        ready = wait_for([*open_, *(pipe for call in calls.values() for pipe in call.pipe())], 0.02 if calls else None)
        for channel in open_.intersection(ready):
            if not (order := heard(channel)):
                if channel in calls:
                    calls.pop(channel).end()
                open_.remove(channel)
                os.close(channel)
                continue
            try:
                f, configuration = work(int.from_bytes(order[:8], "little"), int.from_bytes(order[8:], "little"))
                calls[channel] = InChild(f, limits, configuration, keeps_none)
            except _core.Error as e:  # there can be no child
                say(channel, framed(str(e)))
        for channel, call in list(calls.items()):
            if (measured := call.outcome()) is not None:
                del calls[channel]
                say(channel, framed(measured))


def heard(channel: int) -> bytes:
    import os

    try:
        return os.read(channel, 16)
    except OSError:  # nobody is there any more
        return b""


def say(channel: int, text: bytes) -> None:
    import os

    try:
        while text:
            text = text[os.write(channel, text) :]
    except OSError:
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
            self._all.remove(other)
            other.end()
        return again or LOST

    def close(self) -> None:
        self._closed = True
        try:
            for zygote in self._all:
                zygote.hang_up()
        finally:
            for zygote in self._all:
                zygote.end()


LOST: Measured = (float("nan"), "lost", "was lost with the process that forks the children", 0.0, {})
