# SPDX-License-Identifier: MIT
"""A strategy of Kernel Tuner 1.5."""

from __future__ import annotations

import sys

from kernel_tuner.strategies.wrapper import OptAlg  # type: ignore[import-untyped, import-not-found, unused-ignore]

from . import _core
from ._score import cost_of
from ._space import Space
from ._tuner import Failed, Tuner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Strategy(OptAlg):  # type: ignore[misc]
    """A recipe of tunekit over the valid configurations of Kernel Tuner's search space.

        from kernel_tuner.strategies.wrapper import OptAlgWrapper
        tune_kernel(..., strategy=OptAlgWrapper(Strategy(seed=1)), strategy_options={"max_fevals": 200})

    One configuration at a time is evaluated, each once. Where the objective is a score, such as GFLOP/s, its inverse is the
    cost. The run ends with Kernel Tuner's budget, or when every configuration was tried.

    Raises: Error for several objectives.
    """

    def __init__(self, recipe: str = "combined", seed: int = 0) -> None:
        super().__init__()  # no scaling, no snapping
        self.recipe = recipe
        self.seed = seed

    def __call__(self, func: Any, searchspace: Any) -> tuple[tuple[Any, ...], float]:
        """The best configuration and what `func` gave for it."""
        objectives = func.objective
        if not isinstance(objectives, str) and len(objectives) != 1:
            raise _core.Error(f"tunekit: kernel_tuner: the objectives are {', '.join(objectives)}, want one")
        better = func.objective_higher_is_better
        maximize = bool(better if isinstance(better, bool) else better[0])
        names = list(searchspace.tune_params)
        space = Space.listed(searchspace.tune_params, searchspace.list)
        best: tuple[tuple[Any, ...], float] = ((), float("inf"))
        with Tuner(space, recipe=self.recipe, seed=self.seed) as tuner:
            while (job := tuner.ask()) is not None:
                configuration = tuple(job.configuration[name] for name in names)
                value = float(func(list(configuration), check_restrictions=False))
                if value >= sys.float_info.max:
                    tuner.tell(job, Failed("Kernel Tuner reports an error"))
                    continue
                best = min(best, (configuration, value), key=lambda found: found[1])
                tuner.tell(job, cost_of(-value if maximize else value, maximize))
        return best
