# SPDX-License-Identifier: MIT
"""The sampler of Optuna."""

import time
from collections.abc import Iterator
from pathlib import Path
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


SMALL = Space({"a": [1, 2, 4], "b": [1, 2, 4]}, constraints=["a * b <= 4"])


def check_small(study: Any) -> None:
    """Each of the 6 configurations once; what began beside the last ones has none, and was pruned."""
    params = [(t.params["a"], t.params["b"]) for t in study.trials if t.params]
    assert sorted(params) == [(c["a"], c["b"]) for c in SMALL]
    assert all(t.state == optuna.trial.TrialState.PRUNED for t in study.trials if not t.params)


@pytest.mark.parametrize("seed", range(20))
def test_threads_repeat_nothing_and_break_nothing(seed: int) -> None:
    def waits(trial: Any) -> float:
        a, b = trial.suggest_categorical("a", [1, 2, 4]), trial.suggest_categorical("b", [1, 2, 4])
        time.sleep(0.003 + 0.001 * ((a * 7 + b * 3 + seed) % 5))
        return 1 / float(a * b)

    study = optuna.create_study(sampler=Sampler(SMALL, seed=seed))
    study.enqueue_trial({"a": 4})  # and whatever b may be
    study.enqueue_trial({"a": 2, "b": 2})
    study.optimize(waits, n_trials=20, n_jobs=4)
    check_small(study)
    assert study.best_value == 0.25 and {t.params["a"] for t in study.trials[:2]} == {4, 2}
    assert len(study.trials) <= 6 + 4


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[Any]:
    """Of a file. Its connections are closed, as Python 3.13 wants it."""
    out = optuna.storages.RDBStorage(f"sqlite:///{tmp_path}/s.db")
    yield out
    out.remove_session()
    out.engine.dispose()


@pytest.mark.parametrize("early", [False, True])
def test_a_study_from_its_storage_repeats_nothing(early: bool, storage: Any) -> None:
    """Failures of earlier processes are known, also of objectives that fail before they have asked for all."""
    bad = {(1, 1), (2, 1)}
    tried: list[tuple[int, int]] = []

    def fails(trial: Any) -> float:
        a = trial.suggest_categorical("a", [1, 2, 4])
        if early and a in {1, 2}:
            raise optuna.TrialPruned
        b = trial.suggest_categorical("b", [1, 2, 4])
        tried.append((a, b))
        if (a, b) == (1, 1):
            raise optuna.TrialPruned
        if (a, b) == (2, 1):
            raise OSError("no device")
        return float(1 + a + b)

    for _ in range(6):
        study = optuna.create_study(storage=storage, study_name="s", load_if_exists=True, sampler=Sampler(SMALL, seed=1))
        study.optimize(fails, n_trials=2, catch=OSError)
    assert len(tried) == len(set(tried)) == (1 if early else 6)
    states = [t.state.name for t in study.trials if t.params]
    assert len(states) == 6 and states.count("COMPLETE") == (1 if early else 4) and bad
    if not early:
        check_small(study)


def test_what_was_running_when_its_process_ended_is_tried_again(storage: Any) -> None:
    def load() -> Any:
        return optuna.create_study(storage=storage, study_name="s", load_if_exists=True, sampler=Sampler(SMALL, seed=1))

    study = load()
    study.enqueue_trial({"a": 2, "b": 2})
    lost = study.ask()
    assert (lost.suggest_categorical("a", [1, 2, 4]), lost.suggest_categorical("b", [1, 2, 4])) == (2, 2)
    study = load()
    study.optimize(lambda t: 1.0 / (t.suggest_categorical("a", [1, 2, 4]) * t.suggest_categorical("b", [1, 2, 4])))  # as long as there are some
    done = [(t.params["a"], t.params["b"]) for t in study.trials if t.state == optuna.trial.TrialState.COMPLETE]
    assert sorted(done) == [(c["a"], c["b"]) for c in SMALL]


def test_asked_and_told_it_ends_with_the_space() -> None:
    study = optuna.create_study(sampler=Sampler(SMALL, seed=3))
    trials = [study.ask() for _ in range(6)]
    asked = [(t.suggest_categorical("a", [1, 2, 4]), t.suggest_categorical("b", [1, 2, 4])) for t in trials]
    assert len(set(asked)) == 6
    for wait in (True, False):
        more = study.ask()
        with pytest.raises(optuna.TrialPruned, match="of 6 configurations none is left"):
            more.suggest_categorical("a", [1, 2, 4])
        study.tell(more, state=optuna.trial.TrialState.PRUNED)
        if wait:
            for trial, (a, b) in zip(trials, asked):
                study.tell(trial, 1.0 / (a * b))
    assert study.best_value == 0.25


def test_what_is_enqueued_later_is_no_repeat() -> None:
    study = optuna.create_study(sampler=Sampler(SPACE, seed=1))
    study.optimize(objective, n_trials=3)
    left = [c for c in SPACE if c not in [t.params for t in study.trials]]
    study.enqueue_trial(left[-1])
    study.enqueue_trial({"unroll": left[0]["unroll"]})
    study.enqueue_trial({"tile": 16, "unroll": 4})  # breaks the constraint, as is wanted
    study.enqueue_trial(study.trials[0].params)  # again, as is wanted
    study.optimize(objective, n_trials=99)
    params = [t.params for t in study.trials]
    assert params[3] == left[-1] and params[4]["unroll"] == left[0]["unroll"]
    assert params[5:7] == [{"tile": 16, "unroll": 4}, params[0]]
    rest = params[:5] + params[7:]
    assert len(rest) == len({tuple(p.values()) for p in rest}) == len(SPACE)


def test_what_it_does_not_serve() -> None:
    sampler = Sampler(SPACE)
    with pytest.raises(Error, match="the study has 2 objectives, want one"):
        optuna.create_study(directions=["minimize", "minimize"], sampler=sampler).optimize(lambda t: (objective(t), 2.0), n_trials=1)
    optuna.create_study(sampler=sampler).optimize(objective, n_trials=1)
    with pytest.raises(Error, match="has served another study, want one for each"):
        optuna.create_study(sampler=sampler).optimize(objective, n_trials=1)
    with pytest.raises(ValueError):  # Optuna's own: other values than the space's
        optuna.create_study(sampler=Sampler(SPACE)).optimize(lambda t: float(t.suggest_int("tile", 1, 16)), n_trials=1)
