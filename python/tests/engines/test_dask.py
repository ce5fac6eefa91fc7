# SPDX-License-Identifier: MIT
"""minimize with Dask: clusters of processes, of which some are killed."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import Any

import pytest
import work

from pytunekit import Error, Space, minimize

SPACE = Space({"tile": list(range(1, 33)), "unroll": [1, 2, 4, 8]})


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Any]:
    from distributed import Client, LocalCluster

    os.environ["TUNEKIT_KILL_ONCE"] = str(tmp_path / "killed")
    os.environ["TUNEKIT_CALLS"] = str(tmp_path / "calls")
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, local_directory=str(tmp_path)) as cluster:
        with Client(cluster) as client:
            client.run(__import__("sys").path.insert, 0, str(Path(__file__).parent))
            yield client


def test_a_cluster_of_two_processes(client: Any) -> None:
    found = minimize(lambda tile, unroll: work.bowl(tile, unroll), SPACE, trials=40, executor=client.get_executor())
    assert {t.worker for t in found.trials} == {0, 1}  # Dask pickles what pickle does not


def test_a_worker_that_is_killed_costs_its_job_s_time_only(client: Any) -> None:
    """One call is made again, and a second one where its result was still with the worker."""
    known = {"tile": 8, "unroll": 2}
    found = minimize(work.counted, SPACE, trials=40, seed=1, executor=client.get_executor(), begin_with=known)
    assert Path(os.environ["TUNEKIT_KILL_ONCE"]).exists()
    assert len(found.trials) == 40 and not any(t.kind for t in found.trials)
    assert found.best == known
    assert Path(os.environ["TUNEKIT_CALLS"]).stat().st_size in (41, 42)


def test_what_cannot_be_pickled(client: Any) -> None:
    lock = Lock()

    def locked(tile: int, unroll: int) -> float:
        with lock:
            return work.bowl(tile, unroll)

    with pytest.raises(Error, match="the (function does not reach the executor's workers|executor takes no call): .*, want a function at the top of a module"):
        minimize(locked, SPACE, trials=4, executor=client.get_executor())
    assert len(minimize(work.bowl, SPACE, trials=4, executor=client.get_executor()).trials) == 4  # it serves on


def test_an_executor_that_is_shut_down(client: Any) -> None:
    executor = client.get_executor()
    executor.shutdown()
    with pytest.raises(Error, match="the executor takes no call: .* want one that is not shut down"):
        minimize(work.bowl, SPACE, trials=4, executor=executor)


def seconds_of(workers: int, f: Any) -> float:
    """400 calls of 0.05 s, after some that bring the workers up."""
    from distributed import Client, LocalCluster

    space = Space({"tile": list(range(1, 1025)), "unroll": [1, 2, 4, 8]})
    with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as c:
        c.run(__import__("sys").path.insert, 0, str(Path(__file__).parent))
        minimize(work.slow_bowl, space, trials=8 * workers, executor=c.get_executor())
        began = time.perf_counter()
        minimize(f, space, trials=400, seed=1, executor=c.get_executor(), begin_with={"tile": 8, "unroll": 2})
        return time.perf_counter() - began


if __name__ == "__main__":  # the numbers of docs/python_engines.md: 8 workers against one, and with one that is killed; medians of 3 in turns
    from statistics import median
    from tempfile import TemporaryDirectory

    tries = []
    for _ in range(3):
        with TemporaryDirectory() as folder:
            os.environ["TUNEKIT_KILL_ONCE"] = folder + "/killed"
            tries.append((seconds_of(1, work.slow_bowl), seconds_of(8, work.slow_bowl), seconds_of(8, work.killing)))
    one, eight, less = map(median, zip(*tries))
    times = median(a / b for a, b, _ in tries)
    print(f"400 calls of 0.05 s: 1 worker {one:.2f} s; 8 workers {eight:.2f} s, {times:.2f} times as fast; one of them killed {less:.2f} s")
    print(f"{os.cpu_count()} processors with a load of {os.getloadavg()[1]:.1f}: what others run on them is measured, too")
