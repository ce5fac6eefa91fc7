# SPDX-License-Identifier: MIT
"""minimize with Dask: clusters of processes, of which some are killed."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import work

from tunekit import Error, Space, minimize

SPACE = Space({"tile": list(range(1, 33)), "unroll": [1, 2, 4, 8]})


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Any]:
    from distributed import Client, LocalCluster

    os.environ["TUNEKIT_KILL_ONCE"] = str(tmp_path / "killed")
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, local_directory=str(tmp_path)) as cluster:
        with Client(cluster) as client:
            client.run(__import__("sys").path.insert, 0, str(Path(__file__).parent))
            yield client


def test_a_cluster_of_two_processes(client: Any) -> None:
    found = minimize(lambda tile, unroll: work.bowl(tile, unroll), SPACE, trials=40, executor=client.get_executor())
    assert {t.worker for t in found.trials} == {0, 1}  # Dask pickles what pickle does not


def test_a_worker_that_is_killed_costs_its_job_s_time_only(client: Any) -> None:
    known = {"tile": 8, "unroll": 2}
    found = minimize(work.killing, SPACE, trials=40, seed=1, executor=client.get_executor(), begin_with=known)
    assert Path(os.environ["TUNEKIT_KILL_ONCE"]).exists()
    assert len(found.trials) == 40 and not any(t.kind for t in found.trials)
    assert found.best == known


def test_an_executor_that_is_shut_down(client: Any) -> None:
    executor = client.get_executor()
    executor.shutdown()
    with pytest.raises(Error, match="the executor takes no call: .* want one that is not shut down"):
        minimize(work.bowl, SPACE, trials=4, executor=executor)


if __name__ == "__main__":  # the table of docs/python.md: 8 workers against one
    from distributed import Client, LocalCluster

    for workers in (1, 8):
        with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as c:
            c.run(__import__("sys").path.insert, 0, str(Path(__file__).parent))
            began = time.perf_counter()
            minimize(work.slow_bowl, Space({"tile": list(range(1, 1025)), "unroll": [1, 2, 4, 8]}), trials=400, executor=c.get_executor())
            print(f"{workers} workers: {time.perf_counter() - began:.2f} s for 400 calls of 0.05 s")
