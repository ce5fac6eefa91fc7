# SPDX-License-Identifier: MIT
"""pytunekit finds the fastest settings of a program by measuring them.

    from pytunekit import Space, minimize
    space = Space({"tile": [8, 16, 32, 64], "unroll": [1, 2, 4]}, constraints=["tile * unroll <= 128"])
    found = minimize(seconds_of_one_run, space, trials=40)
    print(found.best, found.best_cost)

The search is that of the C++ library tunekit, with the same words, logs and proposals.
"""

from ._core import Error, NoDevice, recipes, schedules
from ._core import version as __version__
from ._call import Limits
from ._minimize import FrontMember, Race, Result, Verdict, minimize
from ._space import Space, permutation
from ._tasks import Plan, minimize_tasks
from ._tune_kernel import KernelResult, run_kernel, tune_kernel
from ._tuner import Failed, Job, Measurement, Trial, Trials, Tuner

__all__ = [
    "Error", "Failed", "FrontMember", "Job", "KernelResult", "Limits", "Measurement", "NoDevice", "Plan", "Race", "Result", "Space", "Trial", "Trials",
    "Tuner", "Verdict", "minimize", "minimize_tasks", "permutation", "recipes", "run_kernel", "schedules", "tune_kernel", "__version__",
]
