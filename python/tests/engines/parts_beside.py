#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The parts beside scikit-learn, emcee and scipy: accuracy and time of each on the same data, on one thread.

    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python parts_beside.py

Times are the processor's, fit and predict, the median of the repeats. The data of a repeat have a seed of their own.
"""

import math
import sys
import time
import warnings
from collections.abc import Callable
from statistics import median
from typing import Any, TypeAlias

import numpy
from numpy.random import default_rng

from pytunekit.parts import UCB1, EnsembleSampler, Forest, GaussianProcess, KMeans, LogPower


Row: TypeAlias = tuple[float, float, float, float]
"""Our measure and theirs, our seconds and theirs."""


def timed(f: Callable[[], Any]) -> tuple[Any, float]:
    began = time.process_time()
    out = f()
    return out, time.process_time() - began


def friedman(n: int, seed: int) -> tuple[Any, Any]:
    """Friedman's first function of ten numbers, of which five count, with noise of sd 1."""
    gen = default_rng(seed)
    x = gen.random((n, 10))
    return x, truth(x) + gen.standard_normal(n)


def truth(x: Any) -> Any:
    return 10 * numpy.sin(numpy.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]


def rmse(y: Any, to: Any) -> float:
    return float(numpy.sqrt(numpy.mean((numpy.asarray(y) - to) ** 2)))


def forests(seed: int) -> Row:
    """Root mean square error on 2000 points, after 500 rows: 100 trees, a third of the features at a node."""
    from sklearn.ensemble import RandomForestRegressor

    (x, y), at = friedman(500, seed), default_rng(seed + 1000).random((2000, 10))
    ours, seconds = timed(lambda: Forest(trees=100, max_features=3, seed=seed).fit(x, y).predict(at)[0])
    theirs, their_seconds = timed(lambda: RandomForestRegressor(100, max_features=3, random_state=seed).fit(x, y).predict(at))
    return rmse(ours, truth(at)), rmse(theirs, truth(at)), seconds, their_seconds


def processes(seed: int, **settings: Any) -> Row:
    """Root mean square error on 500 points, after 120 rows; Matern 5/2 with a length for each column."""
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

    (x, y), at = friedman(120, seed), default_rng(seed + 1000).random((500, 10))
    kernel = ConstantKernel(1.0) * Matern(numpy.full(10, 1.0), nu=2.5) + WhiteKernel(0.1)

    def their() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a length at its bound
            return GaussianProcessRegressor(kernel, normalize_y=True, random_state=seed).fit(x, y).predict(at, return_std=True)[0]

    ours, seconds = timed(lambda: GaussianProcess(seed=seed, **settings).fit(x, y).predict(at)[0])
    theirs, their_seconds = timed(their)
    return rmse(ours, truth(at)), rmse(theirs, truth(at)), seconds, their_seconds


def processes_without_prior(seed: int) -> Row:
    """The same without a prior, as scikit-learn has none."""
    return processes(seed, length_spread=math.inf, variance_spread=math.inf, noise_spread=math.inf, evaluations=100)


def clusters(seed: int) -> Row:
    """Sum of squared distances of 5000 points of 30 blobs in 8 dimensions to 30 centroids, 3 restarts."""
    from sklearn.cluster import KMeans as Theirs

    gen = default_rng(seed)
    x = (gen.uniform(-10, 10, (30, 8))[gen.integers(30, size=5000)] + gen.standard_normal((5000, 8))).astype("f")
    ours, seconds = timed(lambda: KMeans(30, restarts=3, seed=seed).fit(x).loss)
    theirs, their_seconds = timed(lambda: Theirs(30, n_init=3, random_state=seed).fit(x).inertia_)
    return ours, float(theirs), seconds, their_seconds


def walks(seed: int) -> Row:
    """Autocorrelation time of 40 walkers in a normal distribution of 5 dimensions with correlations of 0.9, 4000 steps; one call a set."""
    from emcee import EnsembleSampler as Theirs
    from emcee.autocorr import integrated_time

    inverse = numpy.linalg.inv(0.1 * numpy.eye(5) + 0.9)
    start = default_rng(seed).standard_normal((40, 5))

    def density(x: Any) -> Any:
        return -0.5 * numpy.einsum("ij,jk,ik->i", x, inverse, x)

    def their() -> Any:
        sampler = Theirs(40, 5, density, vectorize=True)
        sampler.random_state = numpy.random.RandomState(seed).get_state()
        sampler.run_mcmc(start, 4000)
        return sampler.get_chain()

    ours, seconds = timed(lambda: EnsembleSampler(density, start, vectorized=True, seed=seed).run(4000))
    theirs, their_seconds = timed(their)
    times = [float(numpy.mean(integrated_time(chain, quiet=True))) for chain in (ours.positions, theirs)]
    return times[0], times[1], seconds, their_seconds


def curves(seed: int) -> Row:
    """Root mean square error of a log power curve at 1000 to 2000, after 200 points with noise of 1 %."""
    from scipy.optimize import curve_fit

    gen = default_rng(seed)
    a, b, c = gen.uniform(1, 5), gen.uniform(1, 4), -gen.uniform(0.5, 2)
    x, at = numpy.arange(1.0, 201), numpy.arange(1000.0, 2001)

    def curve(v: Any, a: Any, b: Any, c: Any) -> Any:
        return a / (1 + numpy.exp(c * (numpy.log(v) - b)))

    y = curve(x, a, b, c) * (1 + 0.01 * gen.standard_normal(200))
    ours, seconds = timed(lambda: LogPower().fit(x, y).predict(at))
    theirs, their_seconds = timed(lambda: curve(at, *curve_fit(curve, x, y, [float(y.max()), 2.0, -1.0], bounds=([0, -10, -10], [10, 15, -1e-3]))[0]))
    return rmse(ours, curve(at, a, b, c)), rmse(theirs, curve(at, a, b, c)), seconds, their_seconds


def bandits(seed: int) -> Row:
    """Regret of UCB1 over 5000 pulls of ten arms that pay 1 with probability 0.05, 0.1, ..., 0.5; beside it the rule in ten lines of numpy."""
    pays = numpy.arange(1, 11) / 20
    luck = default_rng(seed).random((5000, 10)) < pays

    def their() -> float:
        pulls, sums, lost = numpy.zeros(10), numpy.zeros(10), 0.0
        for t in range(5000):
            k = t if t < 10 else int(numpy.argmax(sums / pulls + numpy.sqrt(2 * numpy.log(t) / pulls)))
            pulls[k] += 1
            sums[k] += luck[t, k]
            lost += 0.5 - pays[k]
        return lost

    def our() -> float:
        bandit, lost = UCB1(10, seed=seed), 0.0
        for t in range(5000):
            k = bandit.select()
            bandit.update(k, float(luck[t, k]))
            lost += 0.5 - pays[k]
        return lost

    (ours, seconds), (theirs, their_seconds) = timed(our), timed(their)
    return ours, theirs, seconds, their_seconds


PARTS: list[tuple[str, str, str, Callable[[int], Row]]] = [
    ("Forest", "error", "scikit-learn", forests),
    ("GaussianProcess", "error", "scikit-learn", processes),
    ("GaussianProcess without prior", "error", "scikit-learn", processes_without_prior),
    ("KMeans", "loss", "scikit-learn", clusters),
    ("EnsembleSampler", "tau", "emcee", walks),
    ("LogPower", "error", "scipy", curves),
    ("UCB1", "regret", "numpy", bandits),
]


def compared(part: Callable[[int], Row], repeats: int) -> Row:
    """Medians over the repeats."""
    ours, theirs, seconds, their_seconds = zip(*(part(seed) for seed in range(repeats)))
    return median(ours), median(theirs), median(seconds), median(their_seconds)


def main() -> int:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    print("| part | measure | tunekit | peer | tunekit ms | peer ms | times as fast |\n|---|---|---|---|---|---|---|")
    for name, measure, peer, part in PARTS:
        ours, theirs, seconds, their_seconds = compared(part, repeats)
        print(
            f"| {name} | {measure} | {ours:.4g} | {theirs:.4g} ({peer}) | {seconds * 1e3:.3g} | {their_seconds * 1e3:.3g} |"
            f" {their_seconds / seconds:.1f} |", flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
