# SPDX-License-Identifier: MIT
"""The parts: what C++ says of the same data, what is known without it, arrays of every kind, and what is refused."""

import math
import subprocess
import sys
from array import array
from collections.abc import Callable
from typing import Any

import pytest
from test_cpp import PROGRAM, needs_program

from pytunekit import Error
from pytunekit.parts import UCB, UCB1, Bandit, EnsembleSampler, EpsilonGreedy, Forest, GaussianProcess, KMeans, LogPower, Softmax, forecast

numpy = pytest.importorskip("numpy")

X = [[(i * 7919 + j * 4801) % 1009 / 1024 for j in range(3)] for i in range(60)]
Y = [x[0] * x[1] + x[2] for x in X]
BEST = [4 - 3.0 / (1 + i // 5) for i in range(40)]


@pytest.fixture(scope="module")
def said() -> dict[str, list[float]]:
    done = subprocess.run([PROGRAM, "parts"], capture_output=True, text=True, check=True)
    return {line.split()[0]: [float(x) for x in line.split()[1:]] for line in done.stdout.splitlines()}


@needs_program
@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("forest", Forest(trees=20, max_features=2, seed=5)),
        ("jackknife", Forest(trees=80, sd="jackknife", seed=5)),
        ("process", GaussianProcess(seed=5)),
        ("named_forest", Forest(trees=7, max_features=1, min_leaf=3, max_depth=4, bootstrap=False, sd="total_variance", seed=5)),
        (
            "named_process",
            GaussianProcess(
                distance=["overlap", "both", "difference"], length=0.4, overlap_length=0.8, length_spread=0.7, variance_spread=0.6, noise=0.01,
                noise_spread=1.5, evidence_rows=12, evaluations=15, max_rows=24, seed=5,
            ),
        ),
    ],
)
def test_models_predict_what_cpp_does(said: dict[str, list[float]], name: str, model: Any) -> None:
    mean, sd = model.fit(X, Y).predict(X)
    assert [*mean, *sd] == pytest.approx(said[name], rel=1e-6, abs=1e-9)


@needs_program
def test_clusters_are_those_of_cpp(said: dict[str, list[float]]) -> None:
    found = KMeans(6, restarts=2, seed=5).fit(X)
    assert found.loss == pytest.approx(said["k_means"][0], rel=1e-6)
    assert list(found.labels) == said["labels"]
    assert list(found.predict(X)) == list(found.labels)


@needs_program
@pytest.mark.parametrize(
    ("name", "bandit"),
    [
        ("epsilon_greedy", EpsilonGreedy(4, epsilon=0.3, seed=5)),
        ("softmax", Softmax(4, seed=5)),
        ("ucb", UCB(4)),
        ("ucb1", UCB1(4, seed=5)),
    ],
)
def test_bandits_pull_what_cpp_pulls(said: dict[str, list[float]], name: str, bandit: Bandit) -> None:
    pulled = []
    for t in range(50):
        pulled.append(k := bandit.select())
        bandit.update(k, (t * 31 + k * 17) % 10 / 16)
    assert pulled == said[name]
    assert list(bandit.pulls) == [pulled.count(k) for k in range(4)]


@needs_program
@pytest.mark.parametrize("vectorized", [False, True])
def test_walkers_go_where_those_of_cpp_go(said: dict[str, list[float]], vectorized: bool) -> None:
    start = [[x for row in X for x in row][2 * k : 2 * k + 2] for k in range(10)]

    def each(x: Any) -> float:
        return float(-0.5 * (x[0] * x[0] + 4 * x[1] * x[1]))

    density: Callable[[Any], Any] = (lambda xs: [each(x) for x in xs]) if vectorized else each
    sampler = EnsembleSampler(density, start, vectorized=vectorized, thin_by=2, seed=5)
    first, then = sampler.run(10), sampler.run(20)
    positions = numpy.concatenate([first.positions, then.positions])
    assert positions.ravel().tolist() == pytest.approx(said["chain"], rel=1e-6, abs=1e-9)
    whole = EnsembleSampler(density, start, vectorized=vectorized, thin_by=2, seed=5).run(30)
    assert whole.autocorrelation()[0].tolist() == pytest.approx(said["times"], rel=1e-6)
    assert whole.samples(discard=3, thin=4).tolist() == whole.positions[6::4].reshape(-1, 2).tolist()
    assert whole.samples(discard=30).shape == (0, 2)


@needs_program
def test_forecasts_are_those_of_cpp(said: dict[str, list[float]]) -> None:
    for by in ("improvements", "log_power"):
        f = forecast(BEST, 90, by=by, seed=5)
        assert [f.last, f.mean, f.sd, f.expected_improvement, f.low, f.high] == pytest.approx(said[by], rel=1e-6)
        assert f.basis == {"improvements": "improvements", "log_power": "posterior"}[by]


def test_a_curve_is_found_again() -> None:
    x = list(range(1, 200, 3))
    y = [5 / (1 + (v / math.e**2) ** -0.7) for v in x]
    curve = LogPower().fit(x, y)
    assert (curve.a, curve.b, curve.c) == pytest.approx((5, 2, -0.7), rel=1e-3)
    assert list(curve.predict(x)) == pytest.approx(y, rel=1e-4)


def test_a_process_goes_through_its_points_and_knows_where_it_has_none() -> None:
    x = [[v / 10] for v in range(11)]
    mean, sd = GaussianProcess().fit(x, [math.sin(3 * v[0]) for v in x]).predict([[0.25], [0.55], [3.0]])
    assert list(mean)[:2] == pytest.approx([math.sin(0.75), math.sin(1.65)], abs=0.01)
    assert max(sd[:2]) < 0.05 < 0.3 < sd[2]


def test_without_a_prior_a_process_sees_which_columns_matter() -> None:
    """Three of ten columns matter, with noise. Without the prior the lengths of the others grow to where they do not count, and the error falls."""
    gen = numpy.random.default_rng(3)
    x = gen.random((300, 10))
    truth = 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]
    y = truth[:120] + gen.standard_normal(120)
    prior = GaussianProcess().fit(x[:120], y)
    none = GaussianProcess(length_spread=math.inf, variance_spread=math.inf, noise_spread=math.inf, evaluations=100).fit(x[:120], y)
    assert max(prior.lengths) < 100 < sum(none.lengths) / 10
    errors = [float(numpy.sqrt(numpy.mean((numpy.asarray(model.predict(x[120:])[0]) - truth[120:]) ** 2))) for model in (prior, none)]
    assert errors[1] < 0.8 * errors[0]


@pytest.mark.parametrize(("sd", "wanted"), [("tree_sd", 0.0), ("total_variance", float(numpy.std(Y)))])
def test_an_sd_is_what_its_name_says(sd: str, wanted: float) -> None:
    """Of trees that all are one leaf of all rows, which differ in nothing and have the variance of the targets."""
    _, got = Forest(trees=5, min_leaf=len(X), bootstrap=False, sd=sd).fit(X, Y).predict(X[:3])
    assert list(got) == pytest.approx([wanted] * 3, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize(("distance", "lengths", "alike"), [("difference", 1, False), ("overlap", 1, True), ("both", 2, False)])
def test_a_distance_is_what_its_name_says(distance: str, lengths: int, alike: bool) -> None:
    """Names are all equally far apart, so two that no row has get one prediction. Both distances have a length each."""
    x = [[v / 10] for v in range(11)]
    model = GaussianProcess(distance=distance).fit(x, [math.sin(3 * v[0]) for v in x])
    assert len(model.lengths) == lengths
    assert (len(set(model.predict([[0.25], [0.85]])[0])) == 1) == alike


@pytest.mark.parametrize(
    ("best", "by", "basis"),
    [([], "log_power", "nothing"), ([1.0], "log_power", "fallback"), (BEST, "log_power", "posterior"), (BEST, "improvements", "improvements")],
)
def test_a_basis_is_what_its_name_says(best: list[float], by: str, basis: str) -> None:
    assert forecast(best, 90, by=by).basis == basis


def test_restarts_and_iterations_are_what_their_names_say() -> None:
    assert KMeans(6, restarts=9, iterations=1).fit(X).iterations == 1
    assert KMeans(6, restarts=20, seed=5).fit(X).loss < KMeans(6, seed=5).fit(X).loss


def test_rows_that_are_added_are_learnt_as_if_all_had_come_at_once() -> None:
    one = GaussianProcess(growth=1e9)
    one.fit(X[:40], Y[:40])
    lengths = one.lengths
    one.fit(X, Y)
    assert one.lengths == lengths and one.variance > 0 and one.noise > 0
    error = max(abs(a - b) for a, b in zip(one.predict(X)[0], Y))
    assert error < 0.05


def test_samples_have_the_moments_of_their_density() -> None:
    """16 walkers x 4000 steps of a normal with sd 1 and 3: with tau below 40, 1600 draws or more, whose mean has an error of sd / 40."""
    start = [[math.sin(k), 3 * math.cos(2 * k)] for k in range(16)]
    chain = EnsembleSampler(lambda x: -0.5 * (x[:, 0] ** 2 + x[:, 1] ** 2 / 9), start, vectorized=True, seed=2).run(4000)
    times, reliable = chain.autocorrelation()
    assert reliable and max(times) < 40
    draws = chain.samples(discard=200)
    assert abs(draws.mean(axis=0) / [1, 3]).max() < 5 / 40
    assert draws.std(axis=0) / [1, 3] == pytest.approx([1, 1], abs=5 / 40)
    assert 0.2 < chain.acceptance.mean() < 0.9 and chain.log_prob.shape == (4000, 16)


@pytest.mark.parametrize(
    "kind",
    ["?", "b", "B", "h", "H", "i", "I", "q", "Q", "f", "d", "<i8", "<f4"],
)
def test_any_buffer_is_taken(kind: str) -> None:
    x = numpy.arange(24).reshape(8, 3) % 2
    y = numpy.arange(8)
    want = Forest(trees=5).fit(x.tolist(), y.tolist()).predict(x.tolist())[0].tolist()
    assert Forest(trees=5).fit(x.astype(kind), y.astype("f")).predict(x.astype(kind))[0].tolist() == want
    assert Forest(trees=5).fit(numpy.asfortranarray(x.astype(kind)), y[:: 1]).predict(x[:, :])[0].tolist() == want
    if len(kind) == 1 and kind != "?":
        flat: Any = memoryview(array(kind, x.ravel().tolist()))
        assert Forest(trees=5).fit(flat.cast("B").cast(kind, (8, 3)), y).predict(x)[0].tolist() == want
    back = numpy.flip(x.astype(kind), axis=0)  # of negative strides
    assert Forest(trees=5).fit(back, y[::-1]).predict(back)[0].tolist() == Forest(trees=5).fit(back.copy(), y[::-1].copy()).predict(back)[0].tolist()


def test_frames_of_pandas_are_taken() -> None:
    pandas = pytest.importorskip("pandas")
    mean, _ = Forest(trees=5).fit(pandas.DataFrame(X), pandas.Series(Y)).predict(pandas.DataFrame(X))
    assert mean.tolist() == Forest(trees=5).fit(X, Y).predict(X)[0].tolist()


def test_without_numpy_memoryviews_come_out() -> None:
    program = """
import sys
sys.modules["numpy"] = None
from pytunekit.parts import EnsembleSampler, Forest, KMeans
mean, sd = Forest(trees=4).fit([[1, 2], [3, 4], [5, 6]], [1, 2, 3]).predict([[1, 2]])
chain = EnsembleSampler(lambda x: -x[0] ** 2 - x[1] ** 2, [[0, 1], [1, 0], [2, 1], [1, 3]]).run(5)
groups = KMeans(2).fit([[0, 0], [1, 1], [9, 9]])
print(type(mean).__name__, len(mean), chain.positions.shape, chain.samples().shape, groups.centroids.shape, list(groups.predict([[8, 8]])) == [groups.labels[2]])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "memoryview 1 (5, 4, 2) (20, 2) (2, 2) True\n"


def test_a_bandit_learns_from_arrays_and_lets_arms_out() -> None:
    bandit = UCB1(3).fit([0, 1, 2, 2], [0.0, 0.5, 1.0, 0.5])
    assert bandit.estimates.tolist() == [0, 0.5, 0.75] and bandit.pulls.tolist() == [1, 1, 2]
    assert UCB1(3, exploration=0).fit([0, 1, 2], [0.0, 0.5, 1.0]).select() == 2
    assert UCB1(3, exploration=0).fit([0, 1, 2], [0.0, 0.5, 1.0]).select([0, 1]) == 1
    before = bandit.pulls.tolist()
    with pytest.raises(Error, match="no such arm"):
        bandit.fit([0, 3], [1.0, 1.0])
    assert bandit.pulls.tolist() == before  # all or nothing


def test_what_a_density_raises_goes_through_and_changes_nothing() -> None:
    calls = 0

    def density(x: Any) -> float:
        nonlocal calls
        calls += 1
        if calls == 30:
            raise LookupError("no such table")
        return float(-(x**2).sum())

    start = numpy.arange(16.0).reshape(8, 2) % 5
    sampler = EnsembleSampler(density, start, seed=1)
    with pytest.raises(LookupError, match="no such table"):
        sampler.run(100)
    assert sampler.run(10).positions.tolist() == EnsembleSampler(lambda x: float(-(x**2).sum()), start, seed=1).run(10).positions.tolist()


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (lambda: Forest(trees=0), "random_forest: trees is 0, want >= 1"),
        (lambda: Forest(trees=-1), "trees is -1, want an integer from 0 on"),
        (lambda: Forest(sd="none"), 'sd "none" is unknown, want one of: tree_sd, total_variance, jackknife'),
        (lambda: Forest(sd="jacknife"), 'sd "jacknife" is unknown, want jackknife'),
        (lambda: Forest(sd=2), "sd is 2, want a text"),  # type: ignore[arg-type]
        (lambda: Forest(sd="jackknife", bootstrap=False), "jackknife without bootstrap, want bootstrap = true"),
        (lambda: Forest().predict(X), r"was not fitted, want fit\(X, y\) first"),
        (lambda: Forest().fit(X, Y[1:]), "want one target per row"),
        (lambda: Forest().fit(X, [math.nan] * 60), "a target is NaN or infinite, want finite ones"),
        (lambda: Forest().fit(X, Y).predict([[1.0]]), "X has 1 columns, want the 3 of the fit"),
        (lambda: Forest().fit(Y, Y), "X is .*, want rows of numbers"),
        (lambda: Forest().fit(numpy.array(Y), Y), "X has 1 axes, want 2"),
        (lambda: Forest().fit([[1, 2], [3]], [1, 2]), r"X has 2 rows of \[1, 2\] numbers, want rows of one length"),
        (lambda: Forest().fit([["a"]], [1]), "X is .*, want rows of numbers"),
        (lambda: Forest().fit(numpy.array([["a"]]), [1]), "X has values of the type"),
        (lambda: Forest().fit(numpy.zeros((2, 2), "e"), [1, 2]), "X has values of the type 'e', want integers, or floats of 4 or 8 bytes"),
        (lambda: Forest().fit(numpy.zeros((2, 2), ">f8"), [1, 2]), "X has values of the type '>d'"),
        (lambda: Forest().fit(numpy.zeros((0, 2)), []), "no rows, want >= 1"),
        (lambda: GaussianProcess(distance="far"), 'distance "far" is unknown, want one of: difference, overlap, both'),
        (lambda: GaussianProcess(distance=["both", "far"]), 'distance "far" is unknown, want one of: difference, overlap, both'),
        (lambda: GaussianProcess(distance=["both"] * 2).fit(X, Y), "X has 3 columns and distance 2 words, want as many, or one word"),
        (lambda: GaussianProcess(growth=0), "growth is not positive, want > 0"),
        (lambda: GaussianProcess(length_spread=0), "a member of prior is not positive, want > 0"),
        (lambda: GaussianProcess(noise="low"), "noise is 'low', want a number"),  # type: ignore[arg-type]
        (lambda: GaussianProcess().lengths, r"was not fitted, want fit\(X, y\) first"),
        (lambda: KMeans(0), "k is 0, want an integer from 1 on"),
        (lambda: KMeans(2).predict(X), r"the clusters were not fitted, want fit\(X\) first"),
        (lambda: KMeans(2).fit([[1e30]]), "a coordinate is NaN or beyond 1e15, want smaller ones"),
        (lambda: UCB1(0), "arms is 0, want >= 1"),
        (lambda: EpsilonGreedy(2, epsilon=2).select([]), "among is empty"),
        (lambda: EpsilonGreedy(2, epsilon=2).select(), "epsilon is outside"),
        (lambda: UCB(2).select([1, 0]), "among is empty, not ascending, or names an arm that is not there"),
        (lambda: UCB(2).update(2, 1.0), "no such arm, want one below"),
        (lambda: UCB(2).update(0, math.inf), "the reward is NaN or infinite, want a number"),
        (lambda: UCB(2).fit([0], [1.0, 2.0]), "not one reward per pull, want as many"),
        (lambda: EnsembleSampler(3, [[1.0]]), "log_density is 3, want a function of a point"),  # type: ignore[arg-type]
        (lambda: EnsembleSampler(lambda x: 0.0, [[1.0, 2.0]]), "1 walkers in 2 dimensions, want >= 4"),
        (lambda: EnsembleSampler(lambda x: math.nan, [[1.0], [2.0]]), "the log density is NaN"),
        (lambda: EnsembleSampler(lambda x: [0.0], [[1.0], [2.0]], vectorized=True), "gave not one number per point, want as many"),
        (lambda: EnsembleSampler(lambda x: "high", [[1.0], [2.0]]), "log_density is .*, want numbers"),
        (lambda: LogPower().predict([1]), r"the curve was not fitted, want fit\(x, y\) first"),
        (lambda: LogPower().fit([0.5, 1], [1, 2]), "a point is not finite or left of 1"),
        (lambda: LogPower().fit([1, 2], [-1, -2]), "the largest y is not a finite number > 0"),
        (lambda: forecast(BEST, 40), "the horizon is not beyond the curve, want more trials than it has"),
        (lambda: forecast(BEST, 90, by="luck"), 'by "luck" is unknown, want one of: improvements, log_power'),
        (lambda: forecast([-1.0], 2), "a value of the curve is negative or not finite"),
    ],
)
def test_what_is_wrong_is_said(wrong: Callable[[], object], why: str) -> None:
    with pytest.raises(Error, match=why):
        wrong()
