# SPDX-License-Identifier: MIT
"""A kernel at several problem sizes: a search for each, and a header that chooses among their winners."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from .. import _core
from .._space import pythons, shown
from .._tune_kernel import HeaderOfSizes, KernelResult
from .._tuner import Failed
from .door import Door, tuned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

KEPT = 2
"""Configurations of each size that are measured at the others, too."""
SEARCHING = 0.75
"""Share of the seconds for the searches; the rest is for that."""


def tune_sizes(call: Mapping[str, Any]) -> KernelResult:
    """`tune_kernel` with `sizes`."""
    began = time.perf_counter()
    sizes = checked_sizes(call["sizes"])
    refuse_single(call)
    seconds = None if call["seconds"] is None else float(call["seconds"])
    first = Door(at_size(call, sizes[0], None))  # what is wrong is told before anything runs
    first.run.close()
    baseline = first.configurations.index(call["baseline"]) if call["baseline"] is not None else None
    header = HeaderOfSizes(
        space=first.configurations.space, kernel=first.problem.name, text=first.problem.source.text(first.configurations.at(0)), device=first.device["name"],
        axes=len(sizes[0]),
    )
    found: dict[Any, KernelResult] = {}
    winners: set[int] = set()
    measured: dict[tuple[int, ...], set[int]] = {}
    for k, size in enumerate(sizes):
        spent = time.perf_counter() - began
        share = None if seconds is None else max(0.0, SEARCHING * seconds - spent) / (len(sizes) - k)
        door = Door(at_size(call, size, share), header.beside(size))
        if door.configurations.space._grid.fingerprint() != first.configurations.space._grid.fingerprint():
            raise _core.Error(f"tunekit: sizes: {shown(size)} has another space than {shown(sizes[0])}, want the same restrictions at each")
        found[key_of(size)] = tuned(door)
        best = door.run.known()
        winners.update(index for index, _, _ in best[:KEPT])
        measured[size] = {index for index, _, _ in best} | set(door.run.failed)
        for index, cost, runs in best:
            header.add(size, index, cost, runs, searched=index != baseline, untuned=index == baseline)
    for size in sizes:
        missing = sorted(winners - measured[size])
        if not missing or (seconds is not None and time.perf_counter() - began >= seconds):
            continue
        run = Door(at_size(call, size, None)).run
        try:
            for index in missing:
                if seconds is not None and time.perf_counter() - began >= seconds:
                    break
                (took, kind, _, runs), _ = run.afresh(index)
                if not kind and not isinstance(took, Failed):
                    header.add(size, index, took, runs, searched=False, untuned=index == baseline)
        finally:
            run.close()
    return together(found, header)


def together(found: Mapping[Any, KernelResult], header: HeaderOfSizes) -> KernelResult:
    """The rows of all sizes, each with its `problem_size`, and the facts of the first with the best of each."""
    rows = [{"problem_size": size, **row} for size, one in found.items() for row in one[0]]
    first = next(iter(found.values()))
    env = {**first[1], "best_configs": [{"problem_size": size, **one[1]["best_config"]} for size, one in found.items()]}
    return KernelResult(rows, env, first.found, first._rename, dict(found), header)


def checked_sizes(given: Any) -> list[tuple[int, ...]]:
    """The sizes, all with as many axes. Raises: Error for what are none."""
    if not isinstance(given, Sequence) or isinstance(given, str) or not given:
        raise _core.Error(f"tunekit: sizes is {shown(given)}, want a list of sizes: [1000, 4000] or [(64, 64), (512, 64)]")
    out: list[tuple[int, ...]] = []
    for one in given:
        size = tuple(pythons(n) for n in one) if isinstance(one, (tuple, list)) else (pythons(one),)
        if not 1 <= len(size) <= 3 or any(isinstance(n, bool) or not isinstance(n, int) or n < 1 for n in size):
            raise _core.Error(f"tunekit: sizes: {shown(one)}, want one to three numbers from 1 on")
        if out and len(size) != len(out[0]):
            raise _core.Error(f"tunekit: sizes: {shown(one)} beside {shown(given[0])}, want as many numbers for each")
        if size in out:
            raise _core.Error(f"tunekit: sizes: {shown(one)} twice, want each once")
        out.append(size)
    return out


def refuse_single(call: Mapping[str, Any]) -> None:
    """Raises: Error for what a call of several sizes does not take."""
    if call["problem_size"] is not None:
        raise _core.Error("tunekit: problem_size beside sizes, want None in its place: sizes has them")
    for name in ("log_file", "resume", "cache"):
        if call[name]:
            raise _core.Error(f"tunekit: {name} is of one size, want a call without sizes=, or sizes= without it")


def key_of(size: tuple[int, ...]) -> Any:
    """A size as it is given: a number, or a tuple of them."""
    return size[0] if len(size) == 1 else size


def at_size(call: Mapping[str, Any], size: tuple[int, ...], seconds: float | None) -> dict[str, Any]:
    """The call of one size: what is a function of it is called."""
    key = key_of(size)
    made = {name: call[name](key) if callable(call[name]) else call[name] for name in ("arguments", "answer", "defines")}
    return {**call, **made, "problem_size": key, "sizes": None, "seconds": seconds}
