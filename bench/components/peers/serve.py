# SPDX-License-Identifier: MIT
"""Runs what the component benches are compared with. Reads names of items, a line each, and answers each with a line of JSON: the CPU
seconds of one run and its quality. `versions` gives the versions of everything. Called by scripts/performance."""
import json
import os
import sys
import time

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[threads] = "1"

import models  # noqa: E402: after the number of threads
import policy  # noqa: E402
import samplers  # noqa: E402

ITEMS = {**models.ITEMS, **samplers.ITEMS, **policy.ITEMS}
LEAST = 0.2  # seconds: short items run as often


def versions():
    import importlib.metadata

    of = {n: importlib.metadata.version(n) for n in ("numpy", "scipy", "scikit-learn", "xgboost", "lightgbm", "emcee")}
    of["python"] = sys.version.split()[0]
    return of


def timed(run):
    count, began = 0, time.process_time()
    while True:
        quality = run()
        count += 1
        spent = time.process_time() - began
        if spent >= LEAST or count == 1 and spent >= LEAST / 2:
            return {"seconds": spent / count, "quality": {k: float(v) for k, v in (quality or {}).items()}}


def main():
    ready = {}
    for line in sys.stdin:
        name = line.strip()
        if name == "versions":
            answer = versions()
        else:
            if name not in ready:
                ready[name] = ITEMS[name]()
                if "effective" not in name and "kmeans" not in name:
                    ready[name]()  # warm
            answer = timed(ready[name])
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
