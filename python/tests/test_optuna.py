# SPDX-License-Identifier: MIT
"""The sampler of Optuna."""

from typing import Any

import optuna
import pytest

from pytunekit import Error, Space, minimize
from pytunekit.optuna import Sampler

optuna.logging.set_verbosity(optuna.logging.WARNING)

SPACE = Space({"tile": [1, 2, 4, 8, 16], "unroll": [1, 2, 4]}, constraints=["tile * unroll <= 32"])


def bowl(tile: int, unroll: int) -> float:
    return 1 + abs(tile - 8) + abs(unroll - 2) / 8


def objective(trial: Any) -> float:
    return bowl(**{name: trial.suggest_categorical(name, values) for name, values in SPACE.parameters.items()})


def test_it_proposes_what_minimize_does() -> None:
    study = optuna.create_study(sampler=Sampler(SPACE, seed=4))
    study.optimize(objective, n_trials=9)
    assert [t.params for t in study.trials] == [t.configuration for t in minimize(bowl, SPACE, trials=9, seed=4).trials]


def test_the_study_stops_with_the_space() -> None:
    study = optuna.create_study(sampler=Sampler(SPACE))
    study.optimize(objective, n_trials=99)
    assert len(study.trials) == len(SPACE) and study.best_params == {"tile": 8, "unroll": 2}


def test_known_and_enqueued_trials() -> None:
    before = optuna.create_study(sampler=Sampler(SPACE, seed=1))
    before.optimize(objective, n_trials=5)
    study = optuna.create_study(sampler=Sampler(SPACE, seed=2))
    study.add_trials(before.trials)
    study.enqueue_trial({"tile": 16, "unroll": 2})
    study.enqueue_trial({"tile": 2, "unroll": 4})
    study.optimize(objective, n_trials=99)
    params = [tuple(t.params.values()) for t in study.trials]
    assert not {(16, 2), (2, 4)} & set(params[:5])  # by the seed
    assert params[5:7] == [(16, 2), (2, 4)] and len(params) == len(set(params)) == len(SPACE)
    assert study.best_params == {"tile": 8, "unroll": 2}


def test_scores_pruned_and_failed_trials() -> None:
    def score(trial: Any) -> float:
        value = objective(trial)
        if trial.params["tile"] == 1:
            raise optuna.TrialPruned
        if trial.params["tile"] == 2:
            raise OSError("no device")
        return 1 / value

    sampler = Sampler(SPACE)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.optimize(score, n_trials=99, catch=OSError)
    assert len(study.trials) == len(SPACE) and study.best_params == {"tile": 8, "unroll": 2}
    assert {t.failed for t in sampler.tuner.trials if t.kind} == {"Optuna has the trial as PRUNED", "Optuna has the trial as FAIL"}


def test_parameters_that_the_space_lacks_are_at_random() -> None:
    def more(trial: Any) -> float:
        return objective(trial) + float(trial.suggest_float("x", 0, 1))

    study = optuna.create_study(sampler=Sampler(SPACE))
    study.optimize(more, n_trials=8)
    assert all(0 <= t.params["x"] <= 1 for t in study.trials)


def test_threads() -> None:
    study = optuna.create_study(sampler=Sampler(SPACE))
    study.optimize(objective, n_trials=10, n_jobs=3)
    assert len({tuple(t.params.values()) for t in study.trials[:10]}) == 10


def test_what_it_does_not_serve() -> None:
    sampler = Sampler(SPACE)
    with pytest.raises(Error, match="the study has 2 objectives, want one"):
        optuna.create_study(directions=["minimize", "minimize"], sampler=sampler).optimize(lambda t: (objective(t), 2.0), n_trials=1)
    optuna.create_study(sampler=sampler).optimize(objective, n_trials=1)
    with pytest.raises(Error, match="has served another study, want one for each"):
        optuna.create_study(sampler=sampler).optimize(objective, n_trials=1)
    with pytest.raises(ValueError):  # Optuna's own: other values than the space's
        optuna.create_study(sampler=Sampler(SPACE)).optimize(lambda t: float(t.suggest_int("tile", 1, 16)), n_trials=1)
