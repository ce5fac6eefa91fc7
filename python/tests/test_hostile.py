# SPDX-License-Identifier: MIT
"""Functions, threads and signals that do their worst: each is one failed trial, nothing is lost, and nothing is left."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from children import children

from pytunekit import Limits, minimize


def closes_all() -> None:
    for fd in range(64):
        try:
            os.close(fd)
        except OSError:
            pass


OURS: set[int] = set()
"""Descriptors of this process, which lead out of the test."""


def floods() -> None:
    for fd in set(range(3, 64)) - OURS:
        try:
            while True:
                os.write(fd, b"\xff" * 65536)
        except OSError:
            pass
    time.sleep(100)


def leaves_children(n: int, apart: bool) -> None:
    for _ in range(n):
        if os.fork() == 0:
            if apart:
                os.setsid()
            time.sleep(30)
            os._exit(0)


def raises(what: BaseException) -> None:
    raise what


def blocks_all_signals() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    time.sleep(100)


def goes_on() -> None:
    while True:
        pass


def leaves_a_thread() -> None:
    threading.Thread(target=lambda: time.sleep(100)).start()


def is_rung() -> None:
    os.environ["PATH"] = ""
    os.chdir("/")
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    time.sleep(100)


HOSTILE: dict[str, tuple[Any, str, str]] = {
    "leaves at once": (lambda: os._exit(0), "exited", "left with status 0"),
    "ends the program": (lambda: sys.exit(0), "exited", "left by SystemExit(0)"),
    "interrupts itself": (lambda: raises(KeyboardInterrupt()), "exited", ""),
    "ends a generator": (lambda: raises(GeneratorExit()), "exited", ""),
    "raises a base exception": (lambda: raises(BaseException("b")), "exited", ""),
    "closes all descriptors": (closes_all, "exited", ""),
    "becomes another program": (lambda: os.execv("/bin/true", ["true"]), "exited", "left with status 0"),
    "writes nonsense everywhere": (floods, "crash", "answered nonsense"),
    "goes on": (goes_on, "run_timeout", "still ran after 1.5 s"),
    "blocks all signals": (blocks_all_signals, "run_timeout", "still ran after 1.5 s"),
    "stops itself": (lambda: os.kill(os.getpid(), signal.SIGSTOP), "run_timeout", "still ran after 1.5 s"),
    "wants all memory": (lambda: [0] * 10**10, "out_of_memory", ""),
    "raises a long text": (lambda: raises(Exception("q" * 10**7)), "crash", "threw: Exception: qqq"),
    "raises a text of odd characters": (lambda: raises(Exception("a\nb\x1b[2J\u202e\ud800")), "crash", "threw: Exception: a"),
    "rings": (is_rung, "crash", "ended by signal 14 (SIGALRM)"),
    "kills its group": (lambda: os.kill(0, signal.SIGKILL), "crash", "ended by signal 9 (SIGKILL)"),
    "returns a long text": (lambda: "x" * 10**8, "bad_cost", "gave no result"),
    "returns a number that no float is": (lambda: 10**400, "bad_cost", "gave no result"),
    "leaves a child in a session of its own": (lambda: leaves_children(1, True), "", ""),
    "leaves fifty children": (lambda: leaves_children(50, False), "", ""),
    "leaves a thread": (leaves_a_thread, "", ""),
}


@pytest.mark.parametrize("how", HOSTILE)
def test_a_hostile_function_is_one_trial(how: str) -> None:
    does, kind, said = HOSTILE[how]

    def f(x: int) -> Any:
        out = does() if x == 1 else None
        return 2.0 + x if out is None else out

    before = {int(fd) for fd in os.listdir("/proc/self/fd")}
    there = children()
    OURS.update(before)
    found = minimize(f, {"x": [1, 2]}, trials=2, begin_with={"x": 1}, isolated=Limits(seconds=1.5, memory=2**33))
    bad, good = found.trials
    assert (bad.kind, good.kind, good.cost) == (kind, "", 4.0) and bad.failed.startswith(said)
    assert bad.cost == (None if kind else 3.0) and len(bad.failed) <= 10_000
    assert len(os.listdir("/proc/self/fd")) == len(before)
    assert children() == there


BESIDE = """
import logging, sys, threading, time
from pytunekit import Limits, minimize
log = logging.getLogger('x')
log.addHandler(logging.FileHandler('/dev/null'))
log.setLevel(10)
stop = False
def logs():
    while not stop: log.info('x' * 100); time.sleep(0.0002)
def prints():
    while not stop: print('a line', flush=True); time.sleep(0.0002)
def f(x):
    if sys.argv[1] == 'logs': log.info('in the child')
    return 1.0 + x
thread = threading.Thread(target=globals()[sys.argv[1]], daemon=True)
thread.start()
found = minimize(f, {'x': range(300)}, trials=300, recipe='random', isolated=Limits(seconds=3))
stop = True
thread.join()
sys.stderr.write(repr((len(found.trials), [t.failed for t in found.trials if t.kind])))
"""


@pytest.mark.parametrize("what", ["logs", "prints"])
def test_one_call_at_a_time_is_not_lost_beside_a_thread(what: str) -> None:
    done = subprocess.run([sys.executable, "-c", BESIDE, what], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "(300, [])"


KILLED = """
import sys, time
from concurrent.futures import ThreadPoolExecutor
from pytunekit import Limits, Space, minimize
def cost(a, b):
    time.sleep(0.004)
    return 1 + abs(a - 7) + abs(b - 3)
how = dict(trials=60, seed=2, log='run.jsonl', resume=True, recipe='random')
space = Space({'a': range(40), 'b': range(40)})
print('ready', flush=True)
if sys.argv[1] == 'plain': found = minimize(cost, space, **how)
if sys.argv[1] == 'isolated': found = minimize(cost, space, isolated=Limits(seconds=60), **how)
if sys.argv[1] == 'threads':
    with ThreadPoolExecutor(3) as executor: found = minimize(cost, space, isolated=Limits(seconds=60), executor=executor, **how)
print(len(found.trials), found.stopped)
"""


@pytest.mark.parametrize("mode", ["plain", "isolated", "threads"])
def test_a_run_that_signals_end_is_taken_up_again(mode: str, tmp_path: Path) -> None:
    """No line of its log is lost, no trial is told twice or failed by a signal, and no process is left."""
    log, draws = tmp_path / "run.jsonl", random.Random(3)
    kept = b""
    for number in [*(draws.choice([signal.SIGINT, signal.SIGKILL, signal.SIGTERM, signal.SIGHUP]) for _ in range(8)), None]:
        with subprocess.Popen(
            [sys.executable, "-c", KILLED, mode], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
        ) as run:
            assert run.stdout is not None and run.stdout.readline() == "ready\n"
            if number is not None:
                time.sleep(draws.uniform(0, 0.2))
                run.send_signal(number)
            said = run.stdout.read()  # also until the last child has closed it
        now = log.read_bytes() if log.exists() else b""
        assert now.startswith(kept[: kept.rfind(b"\n") + 1])
        kept = now
    assert said == "60 the budget of trials is used up\n"
    told = [line for line in map(json.loads, kept.splitlines()) if "tell" in line]
    assert len(told) == len({line["index"] for line in told}) == 60
    assert not [line["failed"] for line in told if line.get("failed")]
