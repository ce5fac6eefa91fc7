# SPDX-License-Identifier: MIT
"""A generator of gest-api 0.2, which libEnsemble and others drive."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike

from gest_api.generator import Generator as _Base  # type: ignore[import-untyped, import-not-found, unused-ignore]
from gest_api.vocs import VOCS, DiscreteVariable, ExploreObjective, MaximizeObjective  # type: ignore[import-untyped, import-not-found, unused-ignore]

from . import _core
from ._score import cost_of
from ._space import Space, counted, kind, shown
from ._tuner import Failed, Job, Tuner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ._space import Constraint


class Generator(_Base):  # type: ignore[misc]
    """A run of tunekit as others drive it: `suggest` asks, `ingest` tells.

        vocs = VOCS(variables={"tile": {8, 16, 32}, "unroll": {1, 2, 4}}, objectives={"seconds": "MINIMIZE"})
        generator = Generator(vocs, constraints=["tile * unroll <= 64"], seed=1)
        for point in generator.suggest(4): ...

    Variables are sets of values; there is one objective, a positive number, of which a maximum is sought as the minimum of
    its inverse. A point whose objective is NaN or whose constraint of the VOCS is broken is a failed trial, and is not
    suggested again. `constraints` are those of `Space`, which no suggested point breaks. Points of others, ingested before
    the first `suggest`, are known; later ones are passed over.

    Points carry no `_id`: each is suggested once, so its values name it.

    Raises: Error, a ValueError, for other variables or objectives, and by `suggest` where fewer points are left.
    """

    returns_id = False

    def __init__(
        self,
        vocs: VOCS,
        *,
        constraints: Iterable[Constraint] = (),
        recipe: str = "combined",
        seed: int = 0,
        log: str | PathLike[str] | None = None,
        resume: bool = False,
    ) -> None:
        super().__init__(vocs)
        self.vocs = vocs
        self._objective = vocs.objective_names[0]
        self._maximize = isinstance(vocs.objectives[self._objective], MaximizeObjective)
        values = {name: _in_order(variable.values) for name, variable in vocs.variables.items()}
        self._as_given = {name: {v: v for v in vs} for name, vs in values.items()}
        self.space = Space(values, constraints)
        self.tuner = Tuner(self.space, recipe=recipe, seed=seed, log=log, resume=resume)
        self._out: dict[int, Job] = {}  # by index
        self._begun = False

    def _validate_vocs(self, vocs: VOCS) -> None:
        if not isinstance(vocs, VOCS):
            raise _core.Error(f"tunekit: gest: {shown(vocs)} is no VOCS, want gest_api.vocs.VOCS(variables=..., objectives=...)")
        for name, variable in vocs.variables.items():
            if not isinstance(variable, DiscreteVariable):
                raise _core.Error(f"tunekit: gest: variable '{name}' is {kind(variable)}, want a set of values: {{8, 16, 32}}")
        if len(vocs.objectives) != 1:
            raise _core.Error(f"tunekit: gest: there are {len(vocs.objectives)} objectives, want one")
        for name, objective in vocs.objectives.items():
            if isinstance(objective, ExploreObjective):
                raise _core.Error(f"tunekit: gest: objective '{name}' is to be explored, want MINIMIZE or MAXIMIZE")

    def suggest(self, num_points: int | None = None) -> list[dict[str, Any]]:
        """`num_points` configurations, 1 by default, with the constants of the VOCS."""
        n = 1 if num_points is None else num_points
        self._begun = True
        jobs: list[Job] = []
        while len(jobs) < n and (more := self.tuner.ask(n - len(jobs))):
            jobs += more
        if len(jobs) < n:
            for job in jobs:
                self.tuner.drop(job)
            raise _core.Error(f"tunekit: gest: {counted(n, 'point')} wanted and {len(jobs)} left of {len(self.space)}, {len(self._out)} out")
        self._out.update((job.index, job) for job in jobs)
        constants = {name: constant.value for name, constant in self.vocs.constants.items()}
        return [job.configuration | constants for job in jobs]

    def ingest(self, results: list[dict[str, Any]]) -> None:
        """What points gave: variables, objective, and the constraints of the VOCS."""
        for result in results:
            index = self.space.index(self._configuration(result))
            outcome = self._outcome(result)
            job = self._out.pop(index, None)
            if job is not None:
                self.tuner.tell(job, outcome)
            elif not self._begun:
                self.tuner.know(self.space.at(index), outcome)

    def finalize(self) -> None:
        """Ends the run and its log."""
        self.tuner.close()

    def _configuration(self, result: Mapping[str, Any]) -> dict[str, Any]:
        """The values as they were given: those that come back may have become floats on their way."""
        out = {}
        for name, given in self._as_given.items():
            if name not in result:
                raise _core.Error(f"tunekit: gest: a result has no '{name}', want all variables: {', '.join(self._as_given)}")
            value = result[name]
            if value not in given:
                raise _core.Error(f"tunekit: gest: a result has {name} {shown(value)}, want one of its values: {', '.join(map(str, given))}")
            out[name] = given[value]
        return out

    def _outcome(self, result: Mapping[str, Any]) -> float | Failed:
        for name, constraint in self.vocs.constraints.items():
            if name not in result or not constraint.check(result[name]):
                return Failed(f"the constraint {name} is broken: {result.get(name)}")
        if self._objective not in result:
            raise _core.Error(f"tunekit: gest: a result has no '{self._objective}', want the objective of each point")
        return cost_of(result[self._objective], self._maximize)


def _in_order(values: Iterable[Any]) -> list[Any]:
    """A set has no order, but the seed is to decide, and neighbours are to be alike."""
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=lambda v: (type(v).__name__, str(v)))
