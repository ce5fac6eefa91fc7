# SPDX-License-Identifier: MIT
"""One configuration for many inputs: the instances of minimize."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from . import _core
from ._space import shown, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Instances:
    """The instances of a run, and where its candidates are on their way through them.

    A pair of a candidate and an instance is a number, `candidate * n + instance`.
    """

    def __init__(self, given: Iterable[Any] | Mapping[str, Any], of: str, early: bool, seed: int) -> None:
        if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
            raise _core.Error(f"tunekit: instances is {shown(given)}, want a list of values, or a dict of them by name")
        named = given if isinstance(given, Mapping) else None
        self.values = list(given) if named is None else list(named.values())
        self.names = [str(value) for value in self.values] if named is None else [text("instances", name) for name in named]
        if not self.names:
            raise _core.Error("tunekit: instances is empty, want at least one")
        for name in self.names:
            if self.names.count(name) > 1:
                raise _core.Error(f"tunekit: instances has {shown(name)} twice, want each once, or a dict that names them")
        self._of, self._seed = text("instance_cost", of), seed
        self.over = _core.Over(self.names, of=self._of, confidence=0.95 if early else 1.0, seed=seed)

    def meaning(self) -> str:
        """For a log: a resumed run has the same."""
        return f"{self._of} over the instances {self.names}"

    def parts(self, pair: int) -> tuple[int, dict[str, Any]]:
        """The candidate of a pair, and the argument that it has besides."""
        n = len(self.values)
        return pair // n, {"instance": self.values[pair % n]}

    def on_all(self, record: _core.Record) -> _core.Over:
        """The same without giving up on any, for a race."""
        over = _core.Over(self.names, of=self._of, confidence=1.0, seed=self._seed)
        over.know(record)
        return over

    def of_best(self, record: _core.Record, index: int) -> dict[str, float]:
        """What a configuration takes on each instance, the default's divided out; without those that are left out."""
        return {name: ratio for name, ratio in zip(self.names, self.over.ratios(record, index)) if ratio == ratio}
