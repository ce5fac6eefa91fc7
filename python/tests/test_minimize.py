# SPDX-License-Identifier: MIT
import functools
import math
import os
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


def test_a_result_that_is_no_number_ends_the_run() -> None:
    for isolated in (False, True):
        with pytest.raises(Error, match="the cost is 'x', want a positive number"):
            minimize(lambda tile, unroll: "x", SPACE, trials=5, isolated=isolated)
        with pytest.raises(Error, match="the cost is 1000.*, want a positive number"):
            minimize(lambda tile, unroll: 10**400, SPACE, trials=5, isolated=isolated)


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
    assert done.stdout.splitlines() == ["['left with status 1', 'left with status 1']"]


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


def test_isolated_memory_has_a_limit() -> None:
    found = minimize(lambda x: len(bytearray(1 << 40)), {"x": [1]}, trials=1, isolated=Limits(memory=1 << 33))
    assert found.trials[0].kind == "out_of_memory"


def test_children_of_isolated_calls_do_not_outlive_them(tmp_path: Path) -> None:
    def f(x: int) -> float:
        child = subprocess.Popen(["sleep", "60"])
        (tmp_path / "pid").write_text(str(child.pid))
        return 1.0

    minimize(f, {"x": [1]}, trials=1, isolated=True)
    pid = int((tmp_path / "pid").read_text())
    state = Path(f"/proc/{pid}/stat")
    for _ in range(100):  # a killed process is there until somebody has read its end
        if not state.exists() or state.read_text().rsplit(")", 1)[1].split()[0] == "Z":
            break
        time.sleep(0.05)
    else:
        pytest.fail("the child lives")


def test_what_an_isolated_call_forks_does_not_keep_it_waiting() -> None:
    def f(x: int) -> float:
        if os.fork() == 0:
            time.sleep(60)
        return 1.0

    assert minimize(f, {"x": [1]}, trials=1, isolated=Limits(seconds=30)).trials[0].kind == ""  # no run_timeout


def no_child_is_left() -> bool:
    try:
        os.waitpid(-1, os.WNOHANG)
        return False
    except ChildProcessError:
        return True


def test_an_interrupt_at_any_moment_loses_no_child() -> None:
    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    def f(x: int) -> float:
        time.sleep(600)
        return 1.0

    signal.signal(signal.SIGALRM, interrupt)
    for k in range(60):
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 0.0001 * (k + 1))
            minimize(f, {"x": [2, 3]}, trials=2, isolated=Limits(seconds=600))
        assert no_child_is_left()


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
    class Endless:
        def submit(self) -> None: ...

    for executor, says in ((3, "want one of concurrent.futures"), (Endless(), "does not tell how many workers")):
        with pytest.raises(Error, match=says):
            minimize(bowl, SPACE, trials=1, executor=executor)  # type: ignore[arg-type]


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
        assert "1 configurations" in run.stderr.readline()
        run.send_signal(signal.SIGINT)
        assert run.stdout.read().split() == ["ready", "interrupted"]


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
