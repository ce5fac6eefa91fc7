# SPDX-License-Identifier: MIT
"""Functions that other processes find by their names."""

import os
import signal
import time


def bowl(tile: int, unroll: int) -> float:
    return 1 + abs(tile - 8) + abs(unroll - 2) / 8


def slow_bowl(tile: int, unroll: int) -> float:
    time.sleep(0.05)
    return bowl(tile, unroll)


def counted(tile: int, unroll: int) -> float:
    """Kills its worker in the first call for one configuration; each call leaves a byte in a file."""
    with open(os.environ["TUNEKIT_CALLS"], "ab", buffering=0) as calls:
        calls.write(b".")
    return killing(tile, unroll)


def once(path: str) -> bool:
    """True for the first call with this path, in whatever process."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        return True
    except FileExistsError:
        return False


def killing(tile: int, unroll: int) -> float:
    """Kills its worker, in the first call for one configuration."""
    if (tile, unroll) == (8, 2) and once(os.environ["TUNEKIT_KILL_ONCE"]):
        os.kill(os.getpid(), signal.SIGKILL)
    return slow_bowl(tile, unroll)
