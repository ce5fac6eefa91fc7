# SPDX-License-Identifier: MIT
from mpi4py.futures import MPIPoolExecutor
from work import bowl

from tunekit import Space, minimize

if __name__ == "__main__":
    with MPIPoolExecutor() as executor:
        found = minimize(bowl, Space({"tile": list(range(1, 33)), "unroll": [1, 2, 4, 8]}), trials=40, seed=1, executor=executor)
    print(f"{found.best} of {len(found.trials)} by {len({t.worker for t in found.trials})} workers")
