# SPDX-License-Identifier: MIT
"""ask_tell.py PROGRAM...: what ask and tell cost in Python, in processor time, beside programs of same_proposals.cpp on the same run, in turns.

    for level in x86-64 native; do g++ -std=c++20 -O3 -march=$level -DTUNEKIT_COMPILED -I include -I /usr/include/eigen3 \\
        $(printf ' -I %s' packages/*/include) python/tests/same_proposals.cpp include/tunekit/compiled*.cpp \\
        packages/{processes/include/tunekit/processes/processes,records/include/tunekit/records/records}.cpp -lz -o ask_tell_$level; done
    python python/tests/ask_tell.py ./ask_tell_x86-64 ./ask_tell_native
"""

import subprocess
import sys
import time
from statistics import median

from spaces import SPACE, cost_of

from pytunekit import Tuner

TRIALS, ROUNDS = 200, 9


def seconds_here(seed: int) -> float:
    began = time.process_time()
    tuner = Tuner(SPACE, trials=TRIALS, seed=seed)
    while (job := tuner.ask()) is not None:
        tuner.tell(job, cost_of(job.index))
    return time.process_time() - began


def seconds_of(program: str, seed: int) -> float:
    return float(subprocess.run([program, "time", str(seed), str(TRIALS)], capture_output=True, text=True, check=True).stdout)


def main(programs: list[str]) -> None:
    rows = [[seconds_here(seed), *(seconds_of(p, seed) for p in programs)] for seed in range(ROUNDS)]
    print(f"Python: {median(row[0] for row in rows) / TRIALS * 1e3:.3f} ms for each of {TRIALS} rounds of ask and tell")
    for k, program in enumerate(programs, 1):
        ratios = [row[0] / row[k] for row in rows]
        print(f"{program}: {median(row[k] for row in rows) / TRIALS * 1e3:.3f} ms; Python takes {median(ratios):.2f} times it ({min(ratios):.2f} to {max(ratios):.2f})")


if __name__ == "__main__":
    main(sys.argv[1:])
