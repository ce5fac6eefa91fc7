# SPDX-License-Identifier: MIT
import math
import os
import threading
from pathlib import Path

import pytest
from spaces import SPACE, cost_of

from pytunekit import Error, Failed, Space, Tuner, recipes

SMALL = Space({"a": [1, 2, 3], "b": [1, 2, 3]})


def test_ask_and_tell_find_the_lowest_cost_and_end_with_the_space() -> None:
    tuner = Tuner(SMALL)
    while (job := tuner.ask()) is not None:
        tuner.tell(job, float(job["a"] * 10 + job.configuration["b"]))
    assert tuner.over and tuner.outstanding == 0
    assert tuner.best == {"a": 1, "b": 1} and tuner.best_cost == 11
    assert len(tuner.trials) == 9 and tuner.stopped == "every configuration was proposed"
    assert sorted(t.index for t in tuner.trials) == list(range(9))


@pytest.mark.parametrize("recipe", recipes())
def test_every_recipe_runs_by_its_name(recipe: str) -> None:
    tuner = Tuner(SPACE, recipe=recipe, trials=12, seed=1)
    for job in iter(tuner.ask, None):
        tuner.tell(job, cost_of(job.index))
    assert len(tuner.trials) == 12 and len({t.index for t in tuner.trials}) == 12


def test_several_jobs_may_be_out_and_be_told_in_any_order() -> None:
    tuner = Tuner(SPACE, trials=20, recipe="random")
    jobs = tuner.ask(5)
    assert len(jobs) == 5 and tuner.outstanding == 5 and not tuner.over
    for job in reversed(jobs):
        tuner.tell(job, cost_of(job.index))
    assert [t.index for t in tuner.trials] == [j.index for j in reversed(jobs)]


def test_begin_with_goes_out_first_and_known_results_are_not_measured() -> None:
    tuner = Tuner(SMALL)
    tuner.know({"a": 2, "b": 2}, 0.5)
    tuner.know({"a": 2, "b": 2}, 0.1)  # of two results the first counts
    tuner.know({"a": 2, "b": 1}, Failed("does not compile", kind="build_error"))
    tuner.begin_with({"a": 3, "b": 3})
    first = tuner.ask()
    assert first is not None and first.configuration == {"a": 3, "b": 3}
    tuner.tell(first, 1.0)
    for job in iter(tuner.ask, None):
        tuner.tell(job, 1.0)
    assert len(tuner.trials) == 7 and tuner.best == {"a": 2, "b": 2} and tuner.best_cost == 0.5
    with pytest.raises(Error, match="^tunekit: "):
        tuner.know({"a": 1, "b": 1}, 1.0)


def test_dropped_jobs_go_out_again() -> None:
    tuner = Tuner(SMALL)
    lost = tuner.ask()
    assert lost is not None
    tuner.drop(lost)
    again = tuner.ask()
    assert again is not None and again.index == lost.index and again.ticket != lost.ticket


def test_failures_are_data() -> None:
    tuner = Tuner(SMALL, trials=3, recipe="random")
    for job in iter(tuner.ask, None):
        tuner.tell(job, Failed("element 5 is 0.37, want 1.37", kind="wrong_result"))
    assert tuner.best_cost == math.inf
    assert [t.cost for t in tuner.trials] == [None] * 3
    assert tuner.trials[0].kind == "wrong_result" and tuner.trials[0].failed == "element 5 is 0.37, want 1.37"
    with pytest.raises(Error, match="3 of 3 failed, most often: wrong_result, element 5 is 0.37"):
        tuner.best


@pytest.mark.parametrize(("cost", "says"), [(math.nan, "NaN"), (math.inf, "infinite"), (0, "0"), (-1, "negative"), ("x", "'x'"), (None, "None"), (True, "True")])
def test_costs_that_are_none_are_refused_by_name(cost: object, says: str) -> None:
    tuner = Tuner(SMALL)
    job = tuner.ask()
    assert job is not None
    with pytest.raises(Error, match=f"the cost is {says}, want a positive"):
        tuner.tell(job, cost)  # type: ignore[arg-type]
    tuner.tell(job, 1.0)  # it is still out


def test_jobs_that_were_never_asked_are_refused() -> None:
    tuner, other = Tuner(SMALL, trials=5), Tuner(SMALL, trials=5)
    job = tuner.ask()
    assert job is not None
    with pytest.raises(Error, match="^tunekit: .*ticket"):
        other.tell(job, 1.0)
    tuner.tell(job, 1.0)
    with pytest.raises(Error, match="^tunekit: .*ticket"):
        tuner.tell(job, 1.0)
    with pytest.raises(Error, match="^tunekit: .*ticket"):
        tuner.drop(job)


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(Error, match='recipe "nope" is unknown, want one of: .*combined'):
        Tuner(SMALL, recipe="nope")
    with pytest.raises(Error, match="trials is -1"):
        Tuner(SMALL, trials=-1)
    with pytest.raises(Error, match="seconds is negative or NaN"):
        Tuner(SMALL, seconds=-1)
    with pytest.raises(Error, match="seconds is 'x', want a number"):
        Tuner(SMALL, seconds="x")  # type: ignore[arg-type]
    with pytest.raises(Error, match="3 are not parameters"):
        Tuner(3)  # type: ignore[arg-type]
    with pytest.raises(Error, match="3 is not a configuration"):
        Tuner({"a": [1, 2]}).begin_with([3])  # type: ignore[list-item]
    with pytest.raises(Error, match="tell has 3, want a job that ask gave"):
        Tuner(SMALL).tell(3, 1.0)  # type: ignore[arg-type]
    with pytest.raises(Error, match="name is 3, want a text"):
        Tuner(SMALL, name=3)  # type: ignore[arg-type]
    with pytest.raises(Error, match="log is 3, want a text"):
        Tuner(SMALL, log=3)  # type: ignore[arg-type]
    with pytest.raises(Error, match="log is .*, want a text that UTF-8 can write"):
        Tuner(SMALL, log="\udcff")
    with pytest.raises(Error, match="patience is 0"):
        Tuner(SMALL, patience=0)
    with pytest.raises(Error, match="until_cost is negative or NaN"):
        Tuner(SMALL, until=-1)
    with pytest.raises(Error, match="until is 'soon', want a number"):
        Tuner(SMALL, until="soon")  # type: ignore[arg-type]
    with pytest.raises(Error, match="resume needs a log"):
        Tuner(SMALL, resume=True)
    with pytest.raises(Error, match="is not a kind of failure, want one of: invalid"):
        Tuner(SMALL).know({"a": 1, "b": 1}, Failed("x", kind="bored"))
    with pytest.raises(Error, match="does not have the value 7"):
        Tuner(SMALL).begin_with([{"a": 7, "b": 1}])


def test_a_run_is_resumed_from_its_log(tmp_path: Path) -> None:
    def run(log: Path | None, trials: int, stop_after: int) -> list[int]:
        tuner = Tuner(SPACE, trials=trials, seed=5, log=log, resume=log is not None)
        for job in iter(tuner.ask, None):
            tuner.tell(job, cost_of(job.index))
            if len(tuner.trials) == stop_after:
                break
        return [t.index for t in tuner.trials]

    log = tmp_path / "run.jsonl"
    assert run(log, 30, 11) == run(None, 30, 11)
    assert run(log, 30, 30) == run(None, 30, 30)
    with pytest.raises(Error, match=r"^tunekit: log .*run.jsonl: exists already; resume it \(resume=True\), or name another file"):
        Tuner(SPACE, trials=30, seed=5, log=log).ask()
    tuner = Tuner(SPACE, trials=40, seed=5, log=log, resume=True)
    assert len(tuner.trials) == 30
    with pytest.raises(Error, match="begin_with comes after the log was begun"):
        tuner.begin_with(SPACE[0])


def test_a_closed_tuner_keeps_what_it_found_and_frees_its_log(tmp_path: Path) -> None:
    log = tmp_path / "run.jsonl"
    with Tuner(SPACE, trials=30, log=log) as tuner:
        _, job = tuner.ask(), tuner.ask()
        assert job is not None
        tuner.tell(job, 2.5)
        with pytest.raises(Error, match="run.jsonl"):
            Tuner(SPACE, trials=30, log=log, resume=True).ask()
    tuner.close()
    assert tuner.over and tuner.outstanding == 0 and tuner.best_cost == 2.5 and len(tuner.trials) == 1
    for use in (tuner.ask, lambda: tuner.begin_with(SPACE[0])):
        with pytest.raises(Error, match="tuner: was closed"):
            use()
    again = Tuner(SPACE, trials=30, log=log, resume=True)
    assert len(again.trials) == 1 and again.ask() is not None
    with Tuner(SPACE, trials=3, log=tmp_path / "none.jsonl"):
        pass
    assert not (tmp_path / "none.jsonl").exists()


def test_failed_names_the_kinds_of_cpp() -> None:
    with pytest.raises(Error) as caught:
        Tuner(SMALL).know({"a": 1, "b": 1}, Failed("x", kind="bored"))
    assert Failed.__doc__ is not None
    for kind in str(caught.value).split("want one of: ")[1].split(", "):
        assert kind in Failed.__doc__


def test_told_stamps_are_the_time_of_the_run() -> None:
    tuner = Tuner(SPACE, seconds=1e6)
    job = tuner.ask()
    assert job is not None
    tuner.tell(job, 1.0, seconds=3.0, stamp=1e6)
    assert tuner.ask() is None and tuner.stopped == "the budget of time is used up"
    assert tuner.trials[0].seconds == 3.0 and tuner.trials[0].stamp == 1e6


def test_threads_may_share_a_tuner() -> None:
    tuner = Tuner(SPACE, trials=200, recipe="random")

    def work() -> None:
        for job in iter(tuner.ask, None):
            tuner.tell(job, cost_of(job.index))

    workers = [threading.Thread(target=work) for _ in range(4)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    assert len(tuner.trials) == 200 and len({t.index for t in tuner.trials}) == 200 and tuner.over


def test_the_log_of_a_tuner_that_is_forked_has_one_writer(tmp_path: Path) -> None:
    log = tmp_path / "run.jsonl"
    tuner = Tuner(SPACE, trials=20, seed=1, log=log)

    def one() -> None:
        job = tuner.ask()
        assert job is not None
        tuner.tell(job, cost_of(job.index))

    one()
    when, go = os.pipe()
    if (child := os.fork()) == 0:
        os.read(when, 1)
        try:
            one()
        except Error as e:
            os._exit(7 if "was written to by somebody else" in str(e) else 1)
        os._exit(0)
    one()
    os.write(go, b"x")
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    one()
    tuner.close()
    with Tuner(SPACE, trials=20, seed=1, log=log, resume=True) as again:
        assert again.ask() is not None and [t.index for t in again.trials] == [t.index for t in tuner.trials] and len(again.trials) == 3
    os.close(when)
    os.close(go)


@pytest.mark.parametrize("checks", [False, True])
def test_with_checks_the_best_goes_out_again_where_a_result_is_doubted(checks: bool) -> None:
    tuner = Tuner({"x": [1, 2, 3, 4]}, recipe="random", seed=1, checks=checks)
    tuner.begin_with({"x": 1})
    calls = 0
    while (job := tuner.ask()) is not None:
        calls += 1
        slow = 2 if calls in (3, 4, 5) else 1  # something else works on the machine
        tuner.tell(job, slow * job["x"], seconds=1, stamp=calls)
    costs = {t.configuration["x"]: t.cost for t in tuner.trials}
    assert len(costs) == len(tuner.trials) == 4
    assert (calls > 4) == checks
    assert (costs == {1: 1, 2: 2, 3: 3, 4: 4}) == checks
    assert tuner.best == {"x": 1}
    assert tuner.over and tuner.outstanding == 0
