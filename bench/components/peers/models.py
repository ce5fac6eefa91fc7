# SPDX-License-Identifier: MIT
"""scikit-learn, xgboost and LightGBM on the work of bench/components/surrogate.cpp, anneal.cpp and kmeans.cpp."""
import functools
import heapq

import lightgbm
import numpy as np
import xgboost
from scipy.stats import norm
from sklearn.cluster import KMeans
from sklearn.ensemble import RandomForestRegressor

from work import D, SIZES, knobs, r2, surface, wide


@functools.cache
def problem(d):
    """Rows and targets to train on, rows and values to test on: those of boosted trees, a share of the best value."""
    (x, y), (xt, yt) = (knobs(101, 1000, 0.05), knobs(103, 10000)) if d == D else (wide(105, 1000, 0.05), wide(107, 64000))
    return x, np.clip(y / y.max(), 0, 1), xt, yt / y.max()


@functools.cache
def candidates(d, n):
    return np.ascontiguousarray((knobs(104, 100000) if d == D else wide(107, 64000))[0][:n])


# ---- forests ----------------------------------------------------------------------------------------------------------


@functools.cache
def forest(trees=100, features=1.0, scaled=False):
    x, y = knobs(101, 1000, 0.05)
    return RandomForestRegressor(trees, max_features=features, n_jobs=1, random_state=1).fit(x, y / y.max() if scaled else y)


def mean_and_sd(model, x):
    p = np.array([t.predict(x) for t in model.estimators_])
    return p.mean(0), p.std(0)


def forest_fit():
    x, y = knobs(101, 1000, 0.05)
    xt, yt = knobs(103, 10000)
    quality = {"R2": r2(yt, forest().predict(xt))}

    def run():
        RandomForestRegressor(100, n_jobs=1, random_state=1).fit(x, y)
        return quality

    return run


def forest_predict(n):
    model, x = forest(), candidates(D, n)
    return lambda: mean_and_sd(model, x) and None


def jackknife():
    """forestci's formula, with the trees' predictions given."""
    trees, rows, points = 100, 1000, 10000
    rng = np.random.default_rng(3)
    counts = np.array([np.bincount(rng.integers(0, rows, rows), minlength=rows) for _ in range(trees)], float)
    given = rng.random((points, trees)) - 0.5

    def run():
        centred = given - given.mean(1, keepdims=True)
        raw = ((centred @ (counts - 1) / trees) ** 2).sum(1)
        bias = rows * (centred**2).mean(1) * counts.var(0).mean() / trees
        return raw - bias

    return lambda: run() is None


# ---- boosted trees ----------------------------------------------------------------------------------------------------

XGB = {"max_depth": 3, "eta": 0.3, "gamma": 1e-4, "min_child_weight": 1, "lambda": 1, "nthread": 1, "verbosity": 0, "tree_method": "hist"}
GBM = {"max_depth": 3, "num_leaves": 8, "learning_rate": 0.3, "min_gain_to_split": 1e-4, "min_sum_hessian_in_leaf": 1, "min_data_in_leaf": 1,
       "lambda_l2": 1, "num_threads": 1, "verbosity": -1, "force_row_wise": True}  # row-wise: found to be the faster


def xgb_fit(d, objective="reg:squarederror", **more):
    x, y, xt, yt = problem(d)
    fit = lambda: xgboost.train({**XGB, "objective": objective, **more}, xgboost.DMatrix(x, y, nthread=1), 100)
    quality = {"R2": r2(yt, fit().inplace_predict(xt))} if objective != "rank:pairwise" else None
    return lambda: fit() and quality


def gbm_fit(d, bins):
    x, y, xt, yt = problem(d)
    fit = lambda: lightgbm.train({**GBM, "objective": "regression", "max_bin": bins}, lightgbm.Dataset(x, y, params={"max_bin": bins}), 100)
    quality = {"R2": r2(yt, fit().predict(xt))}
    return lambda: fit() and quality


@functools.cache
def boosted(d, objective="reg:squarederror"):
    x, y, _, _ = problem(d)
    return xgboost.train({**XGB, "objective": objective, "tree_method": "exact"}, xgboost.DMatrix(x, y, nthread=1), 100)


def xgb_predict(d, n, times=1):
    model, x = boosted(d), candidates(d, n)

    def run():
        for _ in range(times):
            model.inplace_predict(x)

    return run


# ---- annealing: 128 chains of 500 steps in whole arrays, the best 64 kept ------------------------------------------------


def anneal(score, seed):
    rng, each = np.random.default_rng(seed), np.arange(128)
    stride = np.cumprod(np.r_[1, SIZES[:-1]])
    moves = (1 - 1 / SIZES) / (1 - 1 / SIZES).sum()
    at = np.floor(rng.random((128, D)) * SIZES).astype(int)
    best, known = [], set()

    def offer(points, scores):
        least = best[0][0] if len(best) == 64 else -np.inf
        for i in np.flatnonzero(scores > least):
            code = int(points[i] @ stride)
            if code in known or len(best) == 64 and scores[i] <= best[0][0]:
                continue
            known.add(code)
            if len(best) < 64:
                heapq.heappush(best, (scores[i], code))
            else:
                known.discard(heapq.heapreplace(best, (scores[i], code))[1])

    value = score(at.astype(np.float32))
    offer(at, value)
    for step in range(500):
        which = rng.choice(D, 128, p=moves)
        new = at.copy()
        new[each, which] = (at[each, which] + rng.integers(1, SIZES[which])) % SIZES[which]
        scores = score(new.astype(np.float32))
        offer(new, scores)
        take = rng.random(128) < np.exp(np.minimum(0, (scores - value) / (1 - step / 501)))
        at[take], value[take] = new[take], scores[take]
    found = np.array([c for _, c in best])
    return surface(found[:, None] // stride % SIZES).mean() / 867.739


def expected_improvement(model):
    def score(x):
        mean, sd = mean_and_sd(model, x)
        sd = np.maximum(sd, 1e-9)
        z = (mean - 1) / sd
        return (mean - 1) * norm.cdf(z) + sd * norm.pdf(z)

    return score


def annealed(score):
    seed = iter(range(1, 1000000))
    return lambda: {"value": anneal(score, next(seed))}


# ---- k-means ----------------------------------------------------------------------------------------------------------


def kmeans(n):
    x = candidates(D, n).astype(np.float64)

    def run():
        loss = [KMeans(k, n_init=1, max_iter=100, random_state=k).fit(x).inertia_ for k in range(8, 65)]
        return {"loss8": loss[0], "loss32": loss[24], "loss64": loss[56]}

    return run


ITEMS = {
    "forest/fit scikit-learn": forest_fit,
    "forest/predict_10k scikit-learn": lambda: forest_predict(10000),
    "forest/predict_100k scikit-learn": lambda: forest_predict(100000),
    "forest/jackknife_10k forestci's formula": jackknife,
    "boost/fit_12 xgboost": lambda: xgb_fit(D),
    "boost/fit_12 LightGBM": lambda: gbm_fit(D, 255),
    "boost/fit_rank_12 xgboost": lambda: xgb_fit(D, "rank:pairwise"),
    "boost/fit_100 xgboost": lambda: xgb_fit(100),
    "boost/fit_100 xgboost, 64 bins": lambda: xgb_fit(100, max_bin=64),
    "boost/fit_100 LightGBM": lambda: gbm_fit(100, 255),
    "boost/fit_100 LightGBM, 63 bins": lambda: gbm_fit(100, 63),
    "boost/predict_64k_12 xgboost": lambda: xgb_predict(D, 64000),
    "boost/predict_64k_100 xgboost": lambda: xgb_predict(100, 64000),
    "boost/predict_128_12 xgboost, 100 times": lambda: xgb_predict(D, 128, 100),
    "anneal/boost xgboost": lambda: annealed(boosted(D).inplace_predict),
    "anneal/boost_logistic xgboost": lambda: annealed(boosted(D, "reg:logistic").inplace_predict),
    "anneal/forest10_ei scikit-learn": lambda: annealed(expected_improvement(forest(10, 10, True))),
    "anneal/forest100_ei scikit-learn": lambda: annealed(expected_improvement(forest(100, 1.0, True))),
    "kmeans/sweep_1k scikit-learn": lambda: kmeans(1000),
    "kmeans/sweep_10k scikit-learn": lambda: kmeans(10000),
}
