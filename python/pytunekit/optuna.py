# SPDX-License-Identifier: MIT
"""A sampler of Optuna 5."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock

from optuna.distributions import BaseDistribution, CategoricalDistribution  # type: ignore[import-not-found, unused-ignore]
from optuna.exceptions import TrialPruned  # type: ignore[import-not-found, unused-ignore]
from optuna.samplers import BaseSampler, RandomSampler  # type: ignore[import-not-found, unused-ignore]
from optuna.study import Study, StudyDirection  # type: ignore[import-not-found, unused-ignore]
from optuna.trial import FrozenTrial, TrialState  # type: ignore[import-not-found, unused-ignore]

from . import _core
from ._score import cost_of
from ._space import Space, counted
from ._tuner import Failed, Job, Tuner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


PROPOSED = "pytunekit:configuration"
"""The attribute of a trial with what was proposed, where its objective has not asked for all of it."""


class Sampler(BaseSampler):  # type: ignore[misc, unused-ignore]
    """A recipe of tunekit as a sampler of one study over a fixed space.

        space = Space({"tile": [8, 16, 32], "unroll": [1, 2, 4]}, constraints=["tile * unroll <= 64"])
        study = optuna.create_study(sampler=Sampler(space, seed=1))

    The objective asks by `trial.suggest_categorical(name, values)`, with the values of the space in their order. No trial
    breaks a constraint, and none is repeated, with `n_jobs` and in a study that is loaded from its storage, too; with the
    last configuration the study stops, and a trial that has begun beside it asks for none: it is pruned. The objective's
    values are positive numbers: costs, or scores where it maximizes. A pruned or failed trial is a failure, and is not
    proposed again. Trials that the study has ended before the first are known; one that was running when its process
    ended is measured again. What was enqueued is run as it is wanted: the parameters that it leaves open are chosen among
    the configurations that are left.

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
        self._tried: set[int] = set()  # indices of what is known, or has begun here
        self._kept: dict[int, Job] = {}  # for what is enqueued, by index
        self._study: str | None = None
        self._lock = Lock()

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        """The space."""
        return dict(self._distributions)

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """Takes the next configuration, or the one that was enqueued."""
        with self._lock:
            self._begin(study)
            job = self._next(study, self._part(trial.system_attrs.get("fixed_params", {})))
            if job is not None:
                self._tried.add(job.index)
                self._out[trial._trial_id] = job
            if len(self._tried) == self.space._grid.size():
                _stop(study)

    def sample_relative(self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]) -> dict[str, Any]:
        """The configuration of a trial; nothing where none was left."""
        job = self._out.get(trial._trial_id)
        return {} if job is None else dict(job.configuration)

    def sample_independent(self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution) -> Any:
        """A value for a parameter that the space lacks, at random. For one of the space there is none left: the trial is pruned."""
        if param_name in self._distributions:
            raise TrialPruned(f"tunekit: of {counted(len(self.space), 'configuration')} none is left that was not tried")
        value: Any = self._others.sample_independent(study, trial, param_name, param_distribution)
        return value

    def after_trial(self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None) -> None:
        """Tells what a trial gave."""
        with self._lock:
            job = self._out.pop(trial._trial_id, None)
            if job is not None:
                self.tuner.tell(job, _outcome(study, state, values))
        if job is not None and len(self._part(trial.params)) < len(job.configuration):
            study._storage.set_trial_system_attr(trial._trial_id, PROPOSED, job.configuration)

    def reseed_rng(self) -> None:
        """That of other parameters."""
        self._others.reseed_rng()

    def _begin(self, study: Study) -> None:
        if self._study is not None:
            if self._study != study.study_name:
                raise _core.Error("tunekit: optuna: the sampler has served another study, want one for each")
            return
        if len(study.directions) != 1:
            raise _core.Error(f"tunekit: optuna: the study has {len(study.directions)} objectives, want one")
        self._study = study.study_name
        for trial in study.get_trials(deepcopy=False, states=(TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL)):
            configuration = self._part(trial.system_attrs.get(PROPOSED, {}) | trial.params)
            if configuration in self.space and (index := self.space.index(configuration)) not in self._tried:
                self._tried.add(index)
                self.tuner.know(self.space.at(index), _outcome(study, trial.state, trial.values))

    def _next(self, study: Study, wanted: dict[str, Any]) -> Job | None:
        """The next that has these values; None where none is left."""
        if wanted:
            try:
                left = (c for c in self.space._such(wanted) if self.space.index(c) not in self._tried)
            except _core.Error:  # they break a constraint
                return None
            if (configuration := next(left, None)) is None:
                return None
            if (job := self._kept.pop(self.space.index(configuration), None)) is not None:
                return job
            self.tuner.begin_with(configuration)
            return self.tuner.ask()
        enqueued = self._enqueued(study, TrialState.WAITING, TrialState.RUNNING)
        while (job := self.tuner.ask()) is not None and job.index in enqueued:
            self._kept[job.index] = job
        if job is None and self._kept:  # a trial that has not begun by now was one of a process that ended
            waiting = self._enqueued(study, TrialState.WAITING)
            if (index := next((i for i in self._kept if i not in waiting), None)) is not None:
                job = self._kept.pop(index)
        return job

    def _enqueued(self, study: Study, *states: TrialState) -> set[int]:
        """The configurations of trials that were enqueued and have not begun here."""
        trials = [trial for trial in study.get_trials(deepcopy=False, states=states) if trial._trial_id not in self._out]
        parts = [self._part(trial.system_attrs.get("fixed_params", {})) for trial in trials]
        return {self.space.index(part) for part in parts if part in self.space}

    def _part(self, params: Mapping[str, Any]) -> dict[str, Any]:
        return {name: params[name] for name in self._distributions if name in params}


def _stop(study: Study) -> None:
    """Ends `optimize`. Who asks and tells sees by its trials that there are no more."""
    try:
        study.stop()
    except RuntimeError:  # nothing optimizes
        pass


def _outcome(study: Study, state: TrialState, values: Sequence[float] | None) -> float | Failed:
    if state != TrialState.COMPLETE or not values:
        return Failed(f"Optuna has the trial as {state.name}")
    return cost_of(values[0], study.direction == StudyDirection.MAXIMIZE)
