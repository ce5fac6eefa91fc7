# SPDX-License-Identifier: MIT
"""Strategies and limits, by the names that scripts have for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .. import _core
from .._space import pythons, shown
from .._tuner import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OURS = {"random_sample": "random", "simulated_annealing": "annealing", "mls": "hill-climb", "greedy_mls": "hill-climb", "ordered_greedy_mls": "hill-climb"}
THEIRS = (
    "brute_force", "minimize", "basinhopping", "diff_evo", "genetic_algorithm", "greedy_ils", "dual_annealing", "pso", "skopt",
    "firefly_algorithm", "bayes_opt", "pyatf_strategies", "hybrid_vndx", "adaptive_tabu_greywolf", "nsga2", "nsga3", *OURS,
)
THEIR_OPTIONS = frozenset(
    "method T T_min alpha covariancekernel covariancelengthscale samplingmethod popsize popsize_times_dimensions maxiter F CR constraint_aware B0 gamma "
    "budget pack_size tabu_factor shake_rate jump_rate stagn_limit restart_ratio t0 t_decay t_min k cand_pool restart_iter tabu_size elite_size temp0 "
    "cooling mutation_chance neighbor restart no_improvement random_walk order randomize w c1 c2 searchtechnique use_searchspace_cache "
    "crossover_operator crossover_prob mutation_prob ref_dirs_list fraction learner acq_func lie_strategy kappa num_initial batch_size skopt_kwargs "
    "searchspace_construction_options max_threads".split()
)


class Search:
    """What chooses configurations, and for how long."""

    def __init__(self, recipe: str, trials: int | None, seconds: float | None, begin_with: list[Any] | None, everything: bool) -> None:
        self.recipe = recipe
        self.trials = trials
        self.seconds = seconds
        self.begin_with = begin_with
        self.everything = everything

    everything: bool
    """Whether each valid configuration is measured."""


def search_of(strategy: Any, options: Any, trials: int | None, seconds: float | None, say: Callable[[str], None]) -> Search:
    """The search that is asked for. Raises: Error for a strategy or an option that nobody knows."""
    if not isinstance(strategy, (str, type(None), bool)):
        raise _core.Error(f"tunekit: strategy is {shown(strategy)}, want a name: pytunekit.recipes() has them")
    if not isinstance(options, (Mapping, type(None))):
        raise _core.Error(f"tunekit: strategy_options is {shown(options)}, want a dict")
    given = dict(options or {})
    idle = [name for name in given if name in THEIR_OPTIONS]
    for name in given:
        if name not in ("max_fevals", "time_limit", "x0") and name not in idle:
            raise _core.Error(f"tunekit: strategy_options has '{name}', want max_fevals, time_limit or x0")
    if idle:
        say(f"tunekit: strategy_options: {', '.join(idle)} {'has' if len(idle) == 1 else 'have'} no effect here")
    evaluations = whole(given.get("max_fevals"))
    if trials is not None:
        evaluations = min(count("trials", trials, 1), evaluations or 2**63)
    limit = given.get("time_limit")
    times = [positive(what, t) for what, t in (("time_limit", limit), ("seconds", seconds)) if t is not None]
    recipe = recipe_of(strategy, say)
    limited = evaluations is not None or bool(times)
    if recipe is None:
        recipe = "grid" if strategy or not limited else "combined"
    return Search(recipe, evaluations, min(times, default=None), given.get("x0"), not limited)


def recipe_of(strategy: Any, say: Callable[[str], None]) -> str | None:
    """The recipe of a strategy's name; None where it means no choice."""
    if not strategy or strategy == "brute_force":
        return None
    if strategy in OURS:
        return OURS[strategy]
    if strategy in _core.recipes():
        return str(strategy)
    if strategy in THEIRS:
        say(f"tunekit: strategy '{strategy}' is not here: combined chooses")
        return "combined"
    raise _core.Error(f"tunekit: strategy is {shown(strategy)}, want one of {', '.join(sorted({*THEIRS, *_core.recipes()}))}")


def whole(evaluations: Any) -> int | None:
    """How many configurations; None without a limit, such as the 1e99 that some scripts write."""
    n = pythons(evaluations)
    if n is None:
        return None
    if isinstance(n, bool) or not isinstance(n, (int, float)) or not n >= 1:
        raise _core.Error(f"tunekit: strategy_options: max_fevals is {shown(evaluations)}, want a number from 1 on")
    return int(n) if n < 2**63 else None


def positive(what: str, seconds: Any) -> float:
    t = pythons(seconds)
    if isinstance(t, bool) or not isinstance(t, (int, float)) or not t > 0:
        raise _core.Error(f"tunekit: {what} is {shown(seconds)}, want seconds above 0")
    return float(t)
