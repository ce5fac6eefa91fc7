# SPDX-License-Identifier: MIT
"""A sampler of Optuna 5."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock

from optuna.distributions import BaseDistribution, CategoricalDistribution  # type: ignore[import-not-found, unused-ignore]
from optuna.samplers import BaseSampler, RandomSampler  # type: ignore[import-not-found, unused-ignore]
from optuna.study import Study, StudyDirection  # type: ignore[import-not-found, unused-ignore]
from optuna.trial import FrozenTrial, TrialState  # type: ignore[import-not-found, unused-ignore]

from . import _core
from ._score import cost_of
from ._space import Space
from ._tuner import Failed, Job, Tuner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Sampler(BaseSampler):  # type: ignore[misc, unused-ignore]
    """A recipe of tunekit as a sampler of one study over a fixed space.

        space = Space({"tile": [8, 16, 32], "unroll": [1, 2, 4]}, constraints=["tile * unroll <= 64"])
        study = optuna.create_study(sampler=Sampler(space, seed=1))

    The objective asks by `trial.suggest_categorical(name, values)`, with the values of the space in their order. No trial
    breaks a constraint, and none is repeated; with the last configuration the study stops. Its values are positive numbers:
    costs, or scores where it maximizes. A pruned or failed trial is a failure, and is not proposed again. Complete trials
    that the study has before the first are known, and enqueued ones come first.

    Parameters that the space lacks are drawn at random, and the search does not see them. What is lost: parameters that
    exist only where others have a value, several objectives, intermediate values of pruned trials, and sharing a search
    among processes: each would have its own.

    Raises: Error for several objectives and a second study; Optuna raises ValueError for values that differ from the space's.
    """

    def __init__(self, space: Space | Mapping[str, Sequence[Any]], *, recipe: str = "combined", seed: int = 0) -> None:
        self.space = space if isinstance(space, Space) else Space(space)
        self.tuner = Tuner(self.space, recipe=recipe, seed=seed)
        self._others = RandomSampler(seed=seed)
        self._distributions: dict[str, BaseDistribution] = {
            name: CategoricalDistribution(values) for name, values in self.space.parameters.items()
        }
        self._out: dict[int, Job] = {}  # by the trial's id
        self._study: str | None = None
        self._left = len(self.space)
        self._lock = Lock()

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        """The space."""
        return dict(self._distributions)

    def sample_relative(self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]) -> dict[str, Any]:
        """The next configuration."""
        with self._lock:
            self._begin(study, trial)
            job = self.tuner.ask()
            if job is None and not self.tuner.outstanding:
                study.stop()
                raise _core.Error(f"tunekit: optuna: all {len(self.space)} configurations were tried, want n_trials of at most as many")
            if job is None:
                return {}  # the last ones are out: this trial is at random
            self._out[trial._trial_id] = job
            return dict(job.configuration)

    def sample_independent(self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution) -> Any:
        """A value for a parameter that the space lacks, at random."""
        value: Any = self._others.sample_independent(study, trial, param_name, param_distribution)
        return value

    def after_trial(self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None) -> None:
        """Tells what a trial gave."""
        with self._lock:
            job = self._out.pop(trial._trial_id, None)
            if job is None:
                return
            if any(trial.params.get(name, value) != value for name, value in job.configuration.items()):
                self.tuner.drop(job)  # it had been enqueued with another
                return
            self.tuner.tell(job, _outcome(study, state, values))
            self._left -= 1
            if self._left == 0:
                study.stop()

    def reseed_rng(self) -> None:
        """That of other parameters."""
        self._others.reseed_rng()

    def _begin(self, study: Study, first: FrozenTrial) -> None:
        if self._study is not None:
            if self._study != study.study_name:
                raise _core.Error("tunekit: optuna: the sampler has served another study, want one for each")
            return
        if len(study.directions) != 1:
            raise _core.Error(f"tunekit: optuna: the study has {len(study.directions)} objectives, want one")
        self._study = study.study_name
        there: dict[int, float | Failed] = {}  # by index
        for trial in study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,)):
            if (configuration := self._part(trial.params)) in self.space:
                there.setdefault(self.space.index(configuration), _outcome(study, trial.state, trial.values))
        for index, outcome in there.items():
            self.tuner.know(self.space.at(index), outcome)
        self._left -= len(there)
        enqueued = [first, *study.get_trials(deepcopy=False, states=(TrialState.WAITING,))]
        wanted = [self._part(trial.system_attrs.get("fixed_params", {})) for trial in enqueued]
        if begin := [configuration for configuration in wanted if configuration in self.space]:
            self.tuner.begin_with(begin)

    def _part(self, params: Mapping[str, Any]) -> dict[str, Any]:
        return {name: params[name] for name in self._distributions if name in params}


def _outcome(study: Study, state: TrialState, values: Sequence[float] | None) -> float | Failed:
    if state != TrialState.COMPLETE or not values:
        return Failed(f"Optuna has the trial as {state.name}")
    return cost_of(values[0], study.direction == StudyDirection.MAXIMIZE)
