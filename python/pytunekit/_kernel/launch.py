# SPDX-License-Identifier: MIT
"""How a kernel of a configuration is launched, and which macros it sees."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping

from .. import _core
from .._space import pythons, shown
from .texts import called, evaluated, replaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

USUAL = ("block_size_x", "block_size_y", "block_size_z")
AXES = "xyz"


def block_names(given: Any, parameters: Iterable[str]) -> tuple[list[str], bool]:
    """The parameters that are the block's sizes in x, y and z, and whether they are the usual ones: those in any spelling.

    Raises: Error for what names none.
    """
    if not given:
        spelled = {name.lower(): name for name in parameters}
        return [spelled.get(name, name) for name in USUAL], True
    names = [given] if isinstance(given, str) else list(given)
    if len(names) > 3 or not all(isinstance(name, str) for name in names):
        raise _core.Error(f"tunekit: block_size_names is {shown(given)}, want at most three names, of x, y and z")
    return [*names, *USUAL[len(names) :]], False


class Launch:
    """Sizes of the grid and of the block, and dynamic shared memory, as functions of a configuration."""

    def __init__(self, problem_size: Any, divisors: list[Any], names: list[str], shared: Any = None) -> None:
        self.given_size = problem_size
        self._divisors = divisors
        self.names = names
        self._shared = shared
        if not callable(problem_size):
            sizes_of(problem_size)

    def block(self, values: Mapping[str, Any]) -> list[int]:
        """Threads in x, y and z: (256, 1, 1) where no parameter says it."""
        return [int(values.get(name, usual)) for name, usual in zip(self.names, (256, 1, 1))]

    def size(self, values: Mapping[str, Any]) -> list[int]:
        """The problem's size in x, y and z."""
        given = called("problem_size", self.given_size, values) if callable(self.given_size) else self.given_size
        out = [int(evaluated("problem_size", n, values)) if isinstance(n, str) else n for n in sizes_of(given)]
        return [*out, 1, 1][:3]

    def grid(self, values: Mapping[str, Any]) -> list[int]:
        """Blocks in x, y and z: the size divided, rounded up."""
        out = []
        for axis, size, divisor, name in zip(AXES, self.size(values), self._divisors, self.names):
            by = self._divisor(f"grid_div_{axis}", divisor, name, values)
            if not by > 0:
                raise _core.Error(f"tunekit: grid_div_{axis} is {by:g}, want a positive number")
            out.append(math.ceil(float(size) / float(by)))
        if min(out) < 1:
            raise _core.Error(f"tunekit: problem_size: the grid is {tuple(out)}, want at least one block")
        return out

    def shared_bytes(self, values: Mapping[str, Any]) -> int:
        """Of dynamic shared memory."""
        size = self._shared
        if callable(size):
            size = called("smem_args", size, values)
        return int(evaluated("smem_args", size, values)) if isinstance(size, str) else int(size or 0)

    @staticmethod
    def _divisor(what: str, given: Any, usual: str, values: Mapping[str, Any]) -> float:
        if given is None:
            return float(values.get(usual, 1))
        if callable(given):
            return float(called(what, given, values))
        product = 1
        for one in [given] if isinstance(given, (str, int)) else given:
            product *= int(evaluated(what, one, values)) if isinstance(one, str) else int(called(what, one, values) if callable(one) else one)
        return product


def sizes_of(given: Any) -> list[Any]:
    """One to three sizes, each an integer or a text. Raises: TypeError for anything else."""
    if isinstance(given, str):
        return [given]
    given = given.tolist() if hasattr(given, "tolist") else given
    sizes = [pythons(n) for n in (given if isinstance(given, (list, tuple)) else [given])]
    if not 1 <= len(sizes) <= 3 or not all(isinstance(n, (int, str)) and not isinstance(n, bool) for n in sizes):
        raise TypeError(f"tunekit: problem_size is {shown(given)}, want one to three integers or texts, or a function that returns them")
    return sizes


def macros(values: Mapping[str, Any], launch: Launch, defines: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    """Names with their values. (The engine makes constants of those that unroll loops in CUDA.) Raises: Error for a name that is no identifier."""
    if defines is None:
        said: dict[str, Any] = {f"grid_size_{axis}": n for axis, n in zip(AXES, launch.grid(values))}
        said.update(zip(USUAL, launch.block(values)))
        said.update(zip(launch.names, launch.block(values)))
        said.update(values)
        said["kernel_tuner"] = 1
    else:
        said = {name: replaced(v, values) if isinstance(v, str) else called(f"defines: {name}", v, values) if callable(v) else v
                for name, v in defines.items()}
    for name in said:
        if not re.fullmatch(r"[A-Za-z_]\w*", name):
            raise _core.Error(f"tunekit: {shown(name)} cannot be a macro, want a name of letters, digits and _")
    return [(name, str(int(value)) if isinstance(value, bool) else str(value).replace("\n", "\\\n")) for name, value in said.items()]
