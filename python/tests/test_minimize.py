# SPDX-License-Identifier: MIT
import functools
import math
import os
import random
import re
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from children import children

from pytunekit import Error, Failed, Limits, Space, Tuner, minimize, minimize_tasks, schedules

SPACE = Space({"tile": [1, 2, 4, 8, 16], "unroll": [1, 2, 4]}, constraints=["tile * unroll <= 32"])

Tasks = dict[str, tuple[Callable[..., Any], Space]]


def bowl(tile: int, unroll: int) -> float:
    return 1 + abs(tile - 8) + abs(unroll - 2) / 8


def test_the_four_lines() -> None:
    found = minimize(bowl, SPACE, trials=100)
    assert found.best == {"tile": 8, "unroll": 2} and found.best_cost == 1
    assert len(found.trials) == len(SPACE) and found.stopped == "every configuration was proposed"
    assert repr(found).startswith(f"best of {len(SPACE)}: tile 8, unroll 2, 1 s (first try ")


def test_parameters_alone_are_a_space() -> None:
    assert minimize(lambda x: x, {"x": [3, 1, 2]}, trials=9).best == {"x": 1}


def test_a_run_needs_a_budget_and_a_function() -> None:
    with pytest.raises(Error, match="has no budget"):
        minimize(bowl, SPACE)
    with pytest.raises(Error, match="3 is not a function"):
        minimize(3, SPACE, trials=1)  # type: ignore[arg-type]


def test_what_is_raised_is_a_failed_trial() -> None:
    def f(tile: int, unroll: int) -> Any:
        if tile == 1:
            raise ValueError("too small")
        if tile == 2:
            raise Failed("wrong", kind="wrong_result")
        if tile == 4:
            return Failed("returned")
        if tile == 16:
            return math.nan
        if unroll == 2:
            raise OSError("no file \udcff")  # a name that is no UTF-8
        if unroll == 4:
            raise Failed(ValueError("in place of its text"))  # type: ignore[arg-type]
        return bowl(tile, unroll)

    found = minimize(f, SPACE, trials=50)
    assert {t.failed for t in found.trials if t.configuration["tile"] == 8} == {"", "threw: OSError: no file ?", "in place of its text"}
    said = {t.configuration["tile"]: (t.kind, t.failed) for t in found.trials if t.configuration["unroll"] == 1}
    assert said == {
        1: ("crash", "threw: ValueError: too small"),
        2: ("wrong_result", "wrong"),
        4: ("invalid", "returned"),
        8: ("", ""),
        16: ("bad_cost", "the cost is NaN, want a positive finite number"),
    }


ODD: dict[str, Any] = {
    "None": None, "'5'": "5", "b'5'": b"5", "True": True, "1000": 10**400, "[1.0]": [1.0], "(1+0j)": 1 + 0j,
    "array([1., 2.])": "array", '"bored" is not a kind of failure, want one of: invalid': Failed("x", kind="bored"),
}  # fmt: skip


@pytest.mark.parametrize("isolated", [False, True])
@pytest.mark.parametrize("says", ODD)
def test_a_result_that_is_no_number_is_one_failed_trial(says: str, isolated: bool) -> None:
    odd = ODD[says] if ODD[says] != "array" else pytest.importorskip("numpy").array([1.0, 2.0])
    found = minimize(lambda tile, unroll: odd if tile == 4 else bowl(tile, unroll), SPACE, trials=50, isolated=isolated)
    assert found.best == {"tile": 8, "unroll": 2} and len(found.trials) == len(SPACE)
    failed = [t for t in found.trials if t.kind]
    assert {(t.configuration["tile"], t.kind) for t in failed} == {(4, "bad_cost")}
    assert all(t.failed.startswith("gave no result: ") and says in t.failed for t in failed)


def test_where_the_first_ten_give_no_result_the_run_ends(tmp_path: Path) -> None:
    calls = 0

    def f(x: int) -> Any:
        nonlocal calls
        calls += 1
        return None if calls != useful else 1.0

    useful = 0
    with pytest.raises(Error, match='each of the first 10 calls gave no result: the cost is None, want a positive number, or Failed'):
        minimize(f, {"x": range(99)}, trials=50, log=tmp_path / "run.jsonl")
    assert calls == 10 and len(Tuner({"x": range(99)}, trials=50, log=tmp_path / "run.jsonl", resume=True).trials) == 10
    calls, useful = 0, 10
    assert len(minimize(f, {"x": range(99)}, trials=50).trials) == 50
    calls, useful = 0, 0
    found = minimize(f, {"x": range(9)}, trials=50)  # fewer than ten
    with pytest.raises(Error, match="9 of 9 failed, most often: bad_cost, gave no result: the cost is None"):
        found.best
    with pytest.raises(Error, match="each of the first 10 calls gave no result"), ThreadPoolExecutor(3) as executor:
        minimize_tasks({"a": (f, Space({"x": range(99)})), "b": (f, Space({"x": range(99)}))}, trials=50, executor=executor)


def test_an_exception_without_a_text_is_a_failed_trial() -> None:
    class Odd(Exception):
        def __str__(self) -> str:
            raise RuntimeError("has no text")

    def f(x: int) -> float:
        if x == 1:
            raise Odd
        if x == 2:
            raise MemoryError(Odd())
        return x

    for isolated in (False, True):
        found = minimize(f, {"x": [1, 2, 3]}, trials=3, isolated=isolated)
        assert found.best_cost == 3
        assert {t.configuration["x"]: t.kind for t in found.trials} == {1: "crash", 2: "out_of_memory", 3: ""}
        assert {t.failed for t in found.trials} >= {"threw: Odd: an Odd that has no text"}


@pytest.mark.parametrize("workers", [0, 2])
def test_sys_exit_ends_the_run_with_what_it_has(workers: int) -> None:
    calls = 0

    def f(x: int) -> float:
        nonlocal calls
        calls += 1
        if calls == 15:
            sys.exit(3)
        return 1.0 + x

    def run(**more: Any) -> Any:
        if not workers:
            return minimize(f, {"x": range(99)}, trials=40, **more)
        with ThreadPoolExecutor(workers) as executor:
            return minimize(f, {"x": range(99)}, trials=40, executor=executor, **more)

    found = run()
    assert 13 <= len(found.trials) <= 14 and found.stopped == "the function left by SystemExit(3)" and found.best_cost < math.inf
    calls = 0
    plan = minimize_tasks({"a": (f, Space({"x": range(99)}))}, trials=40)
    assert len(plan["a"].trials) == 14 and plan.stopped == "the function left by SystemExit(3)"
    calls = 14
    with pytest.raises(SystemExit):
        run()


def test_where_all_fail_best_says_why() -> None:
    def f(tile: int, unroll: int) -> float:
        raise OSError("no device")

    found = minimize(f, SPACE, trials=3)
    assert found.best_cost == math.inf and "threw: OSError: no device" in repr(found)
    with pytest.raises(Error, match="3 of 3 failed, most often: crash, threw: OSError: no device"):
        found.best
    assert "no device" in found._repr_html_()


def test_isolated_calls_may_crash_hang_and_leave() -> None:
    def f(tile: int, unroll: int) -> float:
        if tile == 1:
            os.kill(os.getpid(), signal.SIGSEGV)
        if tile == 2:
            time.sleep(60)
        if tile == 4:
            os._exit(3)
        if tile == 16:
            sys.exit("enough")
        return bowl(tile, unroll)

    found = minimize(f, SPACE, trials=50, isolated=Limits(seconds=0.5))
    said = {t.configuration["tile"]: (t.kind, t.failed) for t in found.trials}
    assert said == {
        1: ("crash", "ended by signal 11 (SIGSEGV)"),
        2: ("run_timeout", "still ran after 0.5 s"),
        4: ("exited", "left with status 3"),
        8: ("", ""),
        16: ("exited", "left by SystemExit('enough')"),
    }
    assert found.best == {"tile": 8, "unroll": 2}


def test_a_signal_without_a_name_ends_a_call_only() -> None:
    found = minimize(lambda x: os.kill(os.getpid(), 40), {"x": [1]}, trials=1, isolated=True)
    assert (found.trials[0].kind, found.trials[0].failed) == ("crash", "ended by signal 40")


def test_an_interrupt_in_a_child_does_not_go_on_with_the_program() -> None:
    program = (  # it comes where Ctrl-C comes that reaches both processes: before the child has its own group
        "import os, signal\nfrom pytunekit import minimize\n"
        "os.register_at_fork(after_in_child=lambda: os.kill(os.getpid(), signal.SIGINT))\n"
        "print([t.failed for t in minimize(lambda x: x, {'x': [1, 2]}, trials=2, begin_with={'x': 1}, isolated=True).trials])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    lost = "was lost with the process that forks the children"
    assert done.stdout.splitlines() == [f"['{lost}', '{lost}']"]


def test_closed_streams_are_no_matter() -> None:
    program = (
        "from pytunekit import minimize\n"
        "found = minimize(lambda x: x, {'x': [2, 3]}, trials=2, isolated=True, progress=True)\n"
        "open('/dev/fd/3', 'w').write(repr(found.best))\n"
    )
    done = subprocess.run(["sh", "-c", 'exec "$0" -c "$1" 3>&1 >&- 2>&-', sys.executable, program], capture_output=True, text=True, check=True)
    assert done.stdout == "{'x': 2}"


@pytest.mark.parametrize("said", [bytes(8), b"\0" * 64, (4).to_bytes(8, "little") + b"null", (2).to_bytes(8, "little") + b"[]", b"x" * 2**20])
def test_what_an_isolated_call_says_beside_its_answer_is_none(said: bytes) -> None:
    def f(x: int) -> float:
        if x == 1:
            for fd in range(3, 256):
                try:
                    if stat.S_ISFIFO(os.fstat(fd).st_mode):
                        os.write(fd, said)
                except OSError:
                    pass
        return x

    found = minimize(f, {"x": [1, 2]}, trials=2, isolated=Limits(seconds=10))
    assert found.best == {"x": 2} and {t.configuration["x"]: t.kind in ("crash", "exited", "run_timeout") for t in found.trials} == {1: True, 2: False}


def test_a_forged_answer_is_none() -> None:
    """It would be the best: written over every pipe and socket, in the form of an answer, before the real one."""

    def f(x: int) -> float:
        if x == 1:
            text = b'[1e-9, "", "", 0.0, {}]'
            for said in (b"", bytes(16)):
                for fd in set(range(3, 256)) - mine:
                    try:
                        os.write(fd, said + len(text).to_bytes(8, "little") + text)
                    except OSError:
                        pass
            time.sleep(100)
        return 1.0 + x

    mine = {int(fd) for fd in os.listdir("/proc/self/fd")}
    with ThreadPoolExecutor(2) as executor:
        for how in (None, executor):
            found = minimize(f, {"x": [1, 2, 3]}, trials=3, isolated=Limits(seconds=30), executor=how)
            assert {t.configuration["x"]: (t.cost, t.failed) for t in found.trials} == {1: (None, "answered nonsense"), 2: (3, ""), 3: (4, "")}


def test_no_innocent_call_is_lost_beside_threads() -> None:
    """Threads that log to a file and print, all the time. A fork beside them copies locks that they hold: of 300 calls forked one by one
    from four threads some 10 to 20 hung."""
    program = (
        "import logging, sys, threading, time\n"
        "from concurrent.futures import ThreadPoolExecutor\n"
        "from pytunekit import Limits, minimize\n"
        "log = logging.getLogger('x')\n"
        "log.addHandler(logging.FileHandler('/dev/null'))\n"
        "log.setLevel(10)\n"
        "stop = False\n"
        "def logs():\n"
        "    while not stop: log.info('x' * 100); time.sleep(0.0002)\n"
        "def prints():\n"
        "    while not stop: print('a line', flush=True); time.sleep(0.0002)\n"
        "def f(x):\n"
        "    log.info('in the child')\n"
        "    return 1.0 + x\n"
        "threads = [threading.Thread(target=each, daemon=True) for each in (logs, prints)]\n"
        "for thread in threads: thread.start()\n"
        "with ThreadPoolExecutor(4) as executor:\n"
        "    found = minimize(f, {'x': range(3000)}, trials=3000, recipe='random', isolated=Limits(seconds=3), executor=executor)\n"
        "stop = True\n"
        "for thread in threads: thread.join()\n"
        "sys.stderr.write(repr((len(found.trials), [t.failed for t in found.trials if t.kind])))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "(3000, [])"  # before it a busy machine may be told that a call was made once more


def test_a_time_out_beside_other_threads_is_tried_once_more(tmp_path: Path) -> None:
    lock = threading.Lock()

    def held() -> None:
        with lock:
            begun.set()
            free.wait(60)

    def f(x: int) -> float:
        with open(tmp_path / str(x), "a") as calls:
            calls.write(".")
        if x == 1:
            with lock:  # which nobody gives back in a child that was forked while it was held
                return 1.0
        if x == 2:
            time.sleep(60)
        return 1.0 + x

    def watch(tuner: Tuner) -> None:
        free.set()  # the next fork finds the lock free
        thread.join(60)

    begun, free = threading.Event(), threading.Event()
    thread = threading.Thread(target=held)
    thread.start()
    begun.wait(60)
    with pytest.warns(UserWarning, match="isolated: a call came to its limit and is made once more, as other threads ran"):
        found = minimize(f, {"x": [1, 2, 3]}, trials=3, begin_with=[{"x": 3}, {"x": 1}, {"x": 2}], isolated=Limits(seconds=1.5), progress=watch)
    assert [t.failed for t in found.trials] == ["", "", "still ran after 1.5 s"]
    assert [(tmp_path / str(x)).read_text() for x in (1, 2, 3)] == ["..", ".", "."]  # for the 2 no other thread ran any more


def test_what_is_out_ends_with_the_run(tmp_path: Path) -> None:
    """An interrupt ends the calls of other threads too, with what they have begun."""

    def f(x: int) -> float:
        if x > 1:
            with subprocess.Popen(["sleep", "600"]) as child:
                (tmp_path / str(child.pid)).touch()
        while len(list(tmp_path.iterdir())) < 2:
            time.sleep(0.01)
        return 1.0

    def watch(tuner: Tuner) -> None:
        raise KeyboardInterrupt

    began, before = time.perf_counter(), children()
    with ThreadPoolExecutor(3) as executor:
        found = minimize(f, {"x": [1, 2, 3]}, trials=3, isolated=Limits(seconds=500), executor=executor, progress=watch)
    assert found.stopped == "interrupted" and len(found.trials) == 1 and children() == before
    assert time.perf_counter() - began < 400
    for pid in tmp_path.iterdir():
        assert has_ended(pid.name)


def test_isolated_memory_has_a_limit() -> None:
    found = minimize(lambda x: len(bytearray(1 << 40)), {"x": [1]}, trials=1, isolated=Limits(memory=1 << 33))
    assert found.trials[0].kind == "out_of_memory"


def has_ended(pid: str) -> bool:
    state = Path(f"/proc/{pid}/stat")
    for _ in range(100):  # a killed process is there until somebody has read its end
        try:
            if state.read_text().rsplit(")", 1)[1].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


def test_children_of_isolated_calls_do_not_outlive_them(tmp_path: Path) -> None:
    def f(x: int) -> float:
        child = subprocess.Popen(["sleep", "60"])
        (tmp_path / "pid").write_text(str(child.pid))
        return 1.0

    minimize(f, {"x": [1]}, trials=1, isolated=True)
    assert has_ended((tmp_path / "pid").read_text())


def test_what_an_isolated_call_forks_does_not_keep_it_waiting() -> None:
    def f(x: int) -> float:
        if os.fork() == 0:
            time.sleep(60)
        return 1.0

    assert minimize(f, {"x": [1]}, trials=1, isolated=Limits(seconds=30)).trials[0].kind == ""  # no run_timeout


def test_an_interrupt_at_any_moment_loses_no_child() -> None:
    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    def f(x: int) -> float:
        time.sleep(600)
        return 1.0

    signal.signal(signal.SIGALRM, interrupt)
    before = children()
    for k in range(60):
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 0.0001 * (k + 1))
            minimize(f, {"x": [2, 3]}, trials=2, isolated=Limits(seconds=600))
        assert children() == before


def test_an_executor_makes_several_calls_at_once() -> None:
    together = threading.Barrier(3, timeout=60)

    def f(x: int) -> float:
        together.wait()  # for the other two
        return 1.0 + x

    with ThreadPoolExecutor(3) as executor:
        found = minimize(f, {"x": range(12)}, trials=12, executor=executor, race=False)
    assert found.best == {"x": 0} and len(found.trials) == 12
    assert {t.worker for t in found.trials} == {0, 1, 2}


def test_an_executor_of_processes_calls_what_it_can_pickle(tmp_path: Path) -> None:
    log = tmp_path / "run.jsonl"
    with ProcessPoolExecutor(2) as executor:
        found = minimize(bowl, SPACE, trials=100, executor=executor, isolated=True, race=True, log=log)
    assert found.best == {"tile": 8, "unroll": 2} and found.best_cost == 1 and len(found.trials) == len(SPACE)
    again = minimize(bowl, SPACE, trials=100, log=log, resume=True)  # by one worker, which has nothing to do
    assert [t.index for t in again.trials] == [t.index for t in found.trials]


def test_what_no_executor_is_is_refused() -> None:
    with pytest.raises(Error, match="want one of concurrent.futures"):
        minimize(bowl, SPACE, trials=1, executor=3)  # type: ignore[arg-type]


def leave(x: int) -> float:
    os._exit(1)


def test_an_executor_that_breaks_ends_the_run_in_one_line() -> None:
    with ProcessPoolExecutor(1) as executor:
        with pytest.raises(Error, match="the executor broke: .*isolated=True"):
            minimize(leave, {"x": [1, 2]}, trials=2, executor=executor)


def test_a_function_of_other_arguments_is_refused() -> None:
    with pytest.raises(Error, match="minimize: the function takes x, want the parameters tile, unroll"):
        minimize(lambda x: 1.0, SPACE, trials=1)
    with pytest.raises(Error, match="task 'one': the function takes nothing"):
        minimize_tasks({"one": (lambda: 1.0, SPACE)}, trials=1)
    limit = 3
    for f in (lambda tile, unroll, more=limit: more, lambda **all: len(all), functools.partial(bowl)):
        assert minimize(f, SPACE, trials=1).best_cost > 0


def test_wrong_limits_are_refused() -> None:
    with pytest.raises(Error, match="isolated is 3, want True, False or Limits"):
        minimize(bowl, SPACE, trials=1, isolated=3)  # type: ignore[arg-type]
    with pytest.raises(Error, match="seconds is 0, want > 0"):
        Limits(seconds=0)
    with pytest.raises(Error, match="memory is -1, want an integer from 1 on"):
        Limits(memory=-1)


def test_ctrl_c_ends_a_run_with_what_it_has() -> None:
    calls = 0

    def f(tile: int, unroll: int) -> float:
        nonlocal calls
        calls += 1
        if calls == 6:
            raise KeyboardInterrupt
        return bowl(tile, unroll)

    found = minimize(f, SPACE, trials=100)
    assert len(found.trials) == 5 and found.stopped == "interrupted" and found.best_cost < math.inf
    calls = 5
    with pytest.raises(KeyboardInterrupt):
        minimize(f, SPACE, trials=100)


def test_an_interrupt_from_outside_ends_an_isolated_run() -> None:
    program = (
        "import time\nfrom pytunekit import minimize\n"
        "def f(x):\n    if x > 1: time.sleep(60)\n    return float(x)\n"
        "print('ready', flush=True)\n"
        "print(minimize(f, {'x': [1, 2, 3]}, trials=3, isolated=True, begin_with={'x': 1}, progress=True).stopped)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        assert run.stderr is not None and run.stdout is not None
        assert "1 configuration," in run.stderr.readline()
        run.send_signal(signal.SIGINT)
        assert run.stdout.read().split() == ["ready", "interrupted"]


def test_several_tasks_say_why_they_stopped() -> None:
    tasks: Tasks = {"a": (lambda x: 1.0 + x, Space({"x": range(20)}))}
    assert minimize_tasks(tasks, trials=8).stopped == "the budget of trials is used up"
    assert minimize_tasks(tasks, trials=80).stopped == "every configuration was proposed"
    assert minimize_tasks(tasks, patience=2).stopped == "no improvement within the budget's patience"
    mixed: Tasks = {**tasks, "b": (lambda x: 1.0 + x, Space({"x": range(3)}))}
    assert minimize_tasks(mixed, trials=8).stopped == "the budget of trials is used up"


def test_a_cost_that_is_good_enough_ends_the_run() -> None:
    costs = {1: 5.0, 2: 3.0, 3: 2.0, 4: 1.0}
    found = minimize(lambda a: costs[a], Space({"a": [1, 2, 3, 4]}), recipe="grid", until=2.5)
    assert (found.best_cost, len(found.trials), found.stopped) == (2.0, 3, "the cost that was asked for is reached")


def test_progress_is_a_line_at_each_improvement_or_a_function(capsys: pytest.CaptureFixture[str]) -> None:
    minimize(bowl, SPACE, trials=100, progress=True)
    lines = capsys.readouterr().err.splitlines()
    assert lines and lines[-1].endswith("best 1") and "\r" not in "".join(lines)
    seen: list[int] = []

    def watch(tuner: Tuner) -> bool:
        seen.append(len(tuner.trials))
        return len(seen) == 4

    found = minimize(bowl, SPACE, trials=100, progress=watch)
    assert seen == [1, 2, 3, 4] and found.stopped == "stopped by the caller"


def test_a_race_measures_the_finalists_again() -> None:
    calls: dict[tuple[int, int], int] = {}

    def f(tile: int, unroll: int) -> float:
        calls[tile, unroll] = calls.get((tile, unroll), 0) + 1
        return bowl(tile, unroll) * (0.1 if (tile, unroll) == (4, 1) and calls[tile, unroll] == 1 else 1)  # a lucky first time

    plain = minimize(f, SPACE, trials=100)
    assert plain.best == {"tile": 4, "unroll": 1} and plain.race is None
    calls.clear()
    found = minimize(f, SPACE, trials=100, race=True)
    assert found.race is not None and found.race.rounds > 1
    assert found.best == {"tile": 8, "unroll": 2} and found.best_cost == 1
    assert {"tile": 8, "unroll": 2} in found.race.tied and {"tile": 4, "unroll": 1} not in found.race.tied


def test_a_verdict_says_what_is_known() -> None:
    plain = minimize(bowl, SPACE, trials=100)
    assert plain.verdict.says == str(plain.verdict) == "not raced" and "not raced" in repr(plain)
    found = minimize(bowl, SPACE, trials=100, race=True)
    assert found.race is not None and found.race.verdict is found.verdict and not found.race.unclear
    assert found.verdict.says == "separated" and found.verdict.tied == [] and found.verdict.slower_at_least > 0.05
    assert "separated from 3 others" in repr(found.race) and "separated from 3 others" in repr(found)


def test_the_page_compares_the_first_in_the_rounds_of_a_race(tmp_path: Path) -> None:
    found = minimize(bowl, SPACE, trials=100, begin_with={"tile": 4, "unroll": 1}, race=True)
    found.report(tmp_path / "page.html")
    assert f"{bowl(4, 1) / bowl(8, 2):.2f} times as fast as the first that ran" in (tmp_path / "page.html").read_text()


def test_the_rounds_of_a_race_and_its_verdict_stand_in_the_log(tmp_path: Path) -> None:
    log = tmp_path / "run.jsonl"
    found = minimize(bowl, SPACE, trials=100, race=True, log=log)
    lines = log.read_text().splitlines()
    assert found.race is not None
    assert sum(line.startswith('{"round":0,') for line in lines) == 4
    assert any(line.startswith(f'{{"round":{found.race.rounds - 1},') for line in lines)
    assert f'"verdict":"{found.verdict}"' in lines[-1]
    assert minimize(bowl, SPACE, trials=100, race=False, log=log, resume=True).best == found.best


def test_a_race_of_too_few_rounds_is_unclear() -> None:
    calls = 0

    def f(tile: int, unroll: int) -> float:
        nonlocal calls
        calls += 1
        if calls > len(SPACE):
            time.sleep(0.2)  # no second has more than a few rounds
        return bowl(tile, unroll)

    found = minimize(f, SPACE, trials=100, race=True)
    assert found.race is not None and found.race.unclear and found.race.rounds < found.verdict.rounds_to_separate
    assert "with fewer than 11 none can be distinguished" in repr(found.race)


def test_a_run_ends_with_its_baseline_unless_another_was_shown_to_be_faster(tmp_path: Path) -> None:
    today = {"tile": 4, "unroll": 1}
    better = minimize(bowl, SPACE, trials=100, baseline=today)
    assert better.best == {"tile": 8, "unroll": 2} and not better.verdict.kept and better.race is not None
    assert better.trials[0].configuration == today and better.race.first_cost == bowl(4, 1)
    noise = random.Random(7)
    flat = minimize(lambda x: 1 + noise.random(), {"x": range(9)}, trials=9, baseline={"x": 4}, begin_with=[{"x": 4}, {"x": 2}])
    assert flat.best == {"x": 4} and flat.verdict.says in ("tied", "unclear")
    assert [t.configuration["x"] for t in flat.trials[:2]] == [4, 2] and len(flat.trials) == 9
    single = minimize(bowl, SPACE, trials=100, baseline=today, race=False)
    assert single.best == today and single.verdict.kept and single.best_cost == bowl(4, 1)
    assert "nothing was shown to be faster" in repr(single)
    single.report(tmp_path / "page.html")
    assert "Nothing was shown to be better than the default" in (tmp_path / "page.html").read_text()
    free = minimize(bowl, SPACE, trials=100, baseline=today, race=False, may_be_worse=True)
    assert free.best == {"tile": 8, "unroll": 2} and not free.verdict.kept


def test_logs_resume_without_measuring_again(tmp_path: Path) -> None:
    log = tmp_path / "run.jsonl"
    minimize(bowl, SPACE, trials=5, log=log)
    calls = 0

    def f(tile: int, unroll: int) -> float:
        nonlocal calls
        calls += 1
        return bowl(tile, unroll)

    found = minimize(f, SPACE, trials=8, log=log, resume=True)
    assert calls == 3 and len(found.trials) == 8
    with pytest.raises(Error, match="run.jsonl"):
        minimize(f, Space({"tile": [1, 2], "unroll": [1, 2]}), trials=8, log=log, resume=True)


def test_reports(tmp_path: Path) -> None:
    found = minimize(bowl, SPACE, trials=20, name="bowl <1>")
    found.report(tmp_path / "run.html")
    page = (tmp_path / "run.html").read_text(encoding="utf-8")
    assert page.startswith("<!") and "bowl &lt;1&gt;" in page and "strategy combined" in page
    found.report(tmp_path / "run.html")  # another page in its place, and nothing beside it
    assert [p.name for p in tmp_path.iterdir()] == ["run.html"]
    with pytest.raises(Error, match="none/run.html: cannot be written"):
        found.report(tmp_path / "none" / "run.html")
    shown = found._repr_html_()
    assert "data:image/svg+xml;base64," in shown and "<th>tile</th><td>8</td>" in shown


def test_frames() -> None:
    pytest.importorskip("pandas")

    def f(tile: int, unroll: int) -> Any:
        return Failed("no") if tile == 1 else bowl(tile, unroll)

    frame = minimize(f, SPACE, trials=50).trials.to_frame()
    assert list(frame.columns) == ["tile", "unroll", "cost", "at_least", "kind", "failed", "stamp", "seconds", "worker"]
    assert len(frame) == len(SPACE) and frame["cost"].isna().sum() == 3 and frame["cost"].min() == 1
    assert not frame["at_least"].any()


def test_a_bound_in_a_log_stays_one(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    log = tmp_path / "run.jsonl"
    minimize(bowl, SPACE, recipe="random", trials=4, log=log)
    lines = [re.sub(r',"crc32c":"[^"]*"}$', "}", line) for line in log.read_text().splitlines()]  # as older logs are
    last = max(k for k, line in enumerate(lines) if '"tell"' in line)
    lines[last] = lines[last].replace('"at_least":false', '"at_least":true')
    log.write_text("".join(line + "\n" for line in lines))
    found = minimize(bowl, SPACE, recipe="random", trials=4, log=log, resume=True)
    assert [t.at_least for t in found.trials] == [False, False, False, True]
    assert "at least" in repr(found.trials[3]) and list(found.trials.to_frame()["at_least"]) == [False, False, False, True]


def test_tasks_share_a_budget(tmp_path: Path) -> None:
    other = Space({"x": list(range(30))})
    tasks: Tasks = {"bowl": (bowl, SPACE), "line": (lambda x: 1.0 + x, other)}
    log = tmp_path / "run.jsonl"
    plan = minimize_tasks(tasks, trials=40, seed=2, weights={"line": 3}, log=log)
    assert plan["bowl"].best == {"tile": 8, "unroll": 2} and plan["line"].best == {"x": 0}
    assert plan.latency == 4 and "line: best of 30: x 0" in repr(plan)
    with ThreadPoolExecutor(2) as executor:
        both = minimize_tasks(tasks, trials=40, seed=2, weights={"line": 3}, executor=executor)
    assert both.latency == 4 and {t.worker for r in both.tasks.values() for t in r.trials} == {0, 1}
    plan.report(tmp_path / "plan.html")
    assert "A model of 2 tasks" in (tmp_path / "plan.html").read_text(encoding="utf-8")
    again = minimize_tasks(tasks, trials=40, seed=2, weights={"line": 3}, log=log, resume=True)
    assert [t.index for t in again["line"].trials] == [t.index for t in plan["line"].trials]


def test_wrong_tasks_are_refused() -> None:
    with pytest.raises(Error, match="has no budget"):
        minimize_tasks({"bowl": (bowl, SPACE)})
    with pytest.raises(Error, match="are not tasks, want names with a function and a space each"):
        minimize_tasks({}, trials=1)
    with pytest.raises(Error, match="names 'bowls', which is not a task, want one of: bowl"):
        minimize_tasks({"bowl": (bowl, SPACE)}, trials=1, weights={"bowls": 2})
    with pytest.raises(Error, match='schedule "x" is unknown, want one of: .*dynatune'):
        minimize_tasks({"bowl": (bowl, SPACE)}, trials=1, schedule="x")
    with pytest.raises(Error, match="weight is not positive"):
        minimize_tasks({"bowl": (bowl, SPACE)}, trials=1, weights={"bowl": 0})


@pytest.mark.parametrize("schedule", schedules())
def test_every_schedule_runs_by_its_name(schedule: str) -> None:
    tasks: Tasks = {"bowl": (bowl, SPACE), "line": (lambda x: 1.0 + x, Space({"x": list(range(10))}))}
    plan = minimize_tasks(tasks, trials=6, seconds=1000, schedule=schedule)
    assert [len(r.trials) for r in plan.tasks.values()] == [6, 6]
