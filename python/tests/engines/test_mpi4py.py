# SPDX-License-Identifier: MIT
"""minimize with mpi4py: a rank that is killed, an executor that was shut down, and what cannot be pickled."""

import os
import subprocess
import sys
from pathlib import Path

from test_pages import ranks

PROGRAM = """
import sys
sys.path.insert(0, {here!r})
from mpi4py.futures import MPIPoolExecutor
import work
from pytunekit import Space, minimize

if __name__ == "__main__":
    with MPIPoolExecutor() as executor:
        space = Space({{"tile": range(1, 33), "unroll": [1, 2, 4, 8]}})
        found = minimize(
            work.counted, space, trials=40, seed=1, executor=executor, log="run.jsonl", resume=True, begin_with=[{{"tile": 4, "unroll": 2}}, {{"tile": 8, "unroll": 2}}],
        )
    print(found.best, len(found.trials), sum(bool(t.kind) for t in found.trials))
"""
WRONG = """
import sys
from mpi4py.futures import MPIPoolExecutor
from pytunekit import Error, Space, minimize

def bowl(tile):
    return 1.0 + tile

def said(f, executor):
    try:
        minimize(f, Space({"tile": [1, 2, 4]}), trials=3, executor=executor)
    except Error as e:
        print(e)

if __name__ == "__main__":
    with MPIPoolExecutor() as executor:
        said(lambda tile: 1.0, executor)
        print(minimize(bowl, Space({"tile": [1, 2, 4]}), trials=3, executor=executor).best)
    said(bowl, executor)
"""


def run(program: str, at: Path) -> "subprocess.CompletedProcess[str]":
    (at / "run.py").write_text(program)
    here = {"TUNEKIT_KILL_ONCE": str(at / "killed"), "TUNEKIT_CALLS": str(at / "calls")}
    return subprocess.run(
        [*ranks(3), sys.executable, "-m", "mpi4py.futures", "run.py"], capture_output=True, text=True, cwd=at, timeout=300, env=os.environ | here
    )


def test_a_rank_that_is_killed_costs_the_calls_that_were_out(tmp_path: Path) -> None:
    """MPI ends the program with it. Begun again it goes on from the log: of 2 workers 2 calls are lost at most."""
    program = PROGRAM.format(here=str(Path(__file__).parent))
    assert run(program, tmp_path).returncode != 0
    assert (tmp_path / "killed").exists()
    before = (tmp_path / "calls").stat().st_size
    assert 2 <= before < 40
    again = run(program, tmp_path)
    assert again.returncode == 0, again.stdout + again.stderr
    assert again.stdout == "{'tile': 8, 'unroll': 2} 40 0\n"
    assert (tmp_path / "calls").stat().st_size in (41, 42)


def test_wrong_executors_and_functions_are_told(tmp_path: Path) -> None:
    done = run(WRONG, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    pickled, best, shut = done.stdout.splitlines()
    assert pickled.startswith("tunekit: the function does not reach the executor's workers: ") and "want a function at the top of a module" in pickled
    assert best == "{'tile': 1}"
    assert shut.startswith("tunekit: the executor takes no call: ") and shut.endswith("want one that is not shut down")
