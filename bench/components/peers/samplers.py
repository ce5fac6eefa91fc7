# SPDX-License-Identifier: MIT
"""emcee on the densities of bench/components/mcmc.cpp, and scipy with emcee on those of belief.cpp."""
import emcee
import numpy as np
from scipy.optimize import curve_fit
from scipy.stats import norm

from work import normal

X, SIGMA = np.arange(1, 261.0), 0.03
LOG_X = np.log(X)


def curve(x, a, b, c):
    return a / (1 + (x / np.exp(b)) ** c)


def curve_density(y):
    def density(p):  # of all walkers at once, with one exponential per point
        a, b, c = p.T[:, :, None]
        inside = ((0 < a) & (a < 3) & (-2 < b) & (b < 8) & (-6 < c) & (c < 0))[:, 0]
        r = (y - a / (1 + np.exp(c * (LOG_X - b)))) / SIGMA
        return np.where(inside, -0.5 * np.einsum("ij,ij->i", r, r), -np.inf)

    return density


def chain(density, start, steps):
    np.random.seed(1)
    sampler = emcee.EnsembleSampler(*start.shape, density, vectorize=True)
    sampler.run_mcmc(start, steps, progress=False)
    return sampler


def curve_10x500():
    start = np.array([1, 3, -1.2]) + 1e-2 * normal(12, 30).reshape(10, 3)
    density = curve_density(curve(X, 1, 3, -1.2) + SIGMA * normal(11, 260))
    return lambda: {"acceptance": chain(density, start, 500).acceptance_fraction.mean()}


def gauss5():
    s = np.arange(1, 6.0)
    precision = np.linalg.inv(np.outer(s, s) * 0.9 ** abs(np.subtract.outer(s, s)))
    start = 0.1 * normal(13, 160).reshape(32, 5)
    return lambda: {"acceptance": chain(lambda x: -0.5 * np.einsum("ij,ij->i", x @ precision, x), start, 5000).acceptance_fraction.mean()}


def rosenbrock():
    start = 1 + 0.1 * normal(14, 200).reshape(100, 2)
    density = lambda x: -(100 * (x[:, 1] - x[:, 0] ** 2) ** 2 + (1 - x[:, 0]) ** 2) / 20
    return lambda: {"acceptance": chain(density, start, 1000).acceptance_fraction.mean()}


def effective():
    from scipy.signal import lfilter

    x = lfilter([1], [1, -0.97], np.random.default_rng(1).random((40000, 60, 10)) - 0.5, axis=0)
    return lambda: {"effective": 40000 * 60 / emcee.autocorr.integrated_time(x, quiet=True).max()}


def belief(operators):
    data = []
    for k in range(operators):
        truth = 0.6 + 0.05 * k, 2.5 + 0.1 * k, -(0.8 + 0.05 * k)
        data.append((curve(X, *truth) + SIGMA * normal(200 + k, 260), 1e-2 * normal(300 + k, 30).reshape(10, 3)))

    def run():
        for y, around in data:
            best = y.max()
            fit, _ = curve_fit(curve, X, y, p0=(best, np.log(X[-1] / 2), -1.0))
            draws = chain(curve_density(y), fit + around, 500).get_chain(discard=200, flat=True)[::15]
            at = curve(1000.0, *draws.T)
            mean, sd = at.mean(), at.std()
            z = (mean - best) / sd
            value = (mean - best) * norm.cdf(z) + sd * norm.pdf(z)
        return {"expected_improvement": value}

    return run


ITEMS = {
    "mcmc/curve_10x500 emcee": curve_10x500,
    "mcmc/gauss5_32x5000 emcee": gauss5,
    "mcmc/rosenbrock_100x1000 emcee": rosenbrock,
    "mcmc/effective_60x40000x10 emcee": effective,
    "belief/update_1 scipy, emcee": lambda: belief(1),
    "belief/update_18 scipy, emcee": lambda: belief(18),
}
