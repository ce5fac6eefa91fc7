# SPDX-License-Identifier: MIT
"""The parts that the search is made of: models, bandits, clusters, a sampler, curves. They learn, and they never ask.

    from pytunekit.parts import Forest
    mean, sd = Forest(trees=100, seed=1).fit(X, y).predict(candidates)

Arrays go in as any buffer (numpy, array, memoryview), or as lists of numbers. They come out as arrays of numpy where that is
installed, else as memoryviews. The same seed and data give the same results as in C++.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from . import _core
from ._arrays import given, rows_in, taken
from ._space import shown, text
from ._tuner import count, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    Numbers: TypeAlias = Any
    """A buffer of numbers with one axis, or a list of them."""
    Rows: TypeAlias = Any
    """A buffer of numbers with two axes, or a list of lists."""
    Array: TypeAlias = Any
    """An array of numpy, or a memoryview."""


class Forest:
    """The random forest: a mean over many deep trees, and their disagreement.

        mean, sd = Forest(trees=100, seed=1).fit(X, y).predict(candidates)

    Each tree gets n rows drawn with replacement. A node splits at the threshold, over `max_features` random features, that
    leaves the least squared error. A leaf predicts the mean of its targets.

    max_features: features compared at a node; 0: all.
    min_leaf:     rows in a leaf at least, as often as drawn.
    max_depth:    0: no limit.
    bootstrap:    False: each tree sees each row once.
    sd:           "tree_sd", over the trees; "total_variance", that and the variance of the targets in the leaves; "jackknife",
                  the infinitesimal jackknife: the error of the mean as an estimate, for trees >= rows.

    X is n x d, kept as floats of 4 bytes; y has n numbers.
    Raises: Error for sizes that disagree, no row or 2^20 of them, and what is not finite.
    Cost:   fit O(trees n d depth) on few-valued features, a factor log n more on continuous ones; predict O(trees depth).
    Source: Breiman (2001), Random Forests, Machine Learning 45. Features that are constant in a node do not count among
            `max_features`.
    """

    def __init__(
        self, *, trees: int = 100, max_features: int = 0, min_leaf: int = 1, max_depth: int = 0, bootstrap: bool = True, sd: str = "tree_sd",
        seed: int = 0,
    ) -> None:
        self._model = _core.Forest(
            trees=count("trees", trees), max_features=count("max_features", max_features), min_leaf=count("min_leaf", min_leaf),
            max_depth=count("max_depth", max_depth), bootstrap=bool(bootstrap), sd=text("sd", sd), seed=count("seed", seed),
        )

    def fit(self, X: Rows, y: Numbers) -> Forest:
        """Fits the forest to rows and their targets; an earlier fit is replaced. Returns the forest."""
        self._model.fit(taken("X", X, 2), taken("y", y, 1))
        return self

    def predict(self, X: Rows) -> tuple[Array, Array]:
        """Mean and sd of each row."""
        mean, sd = self._model.predict(rows := taken("X", X, 2))
        return given(mean, "d", rows_in(rows)), given(sd, "d", rows_in(rows))


class GaussianProcess:
    """The Gaussian process: a smooth mean through the measurements, and an uncertainty that grows away from them.

        mean, sd = GaussianProcess(seed=1).fit(X, y).predict(candidates)

    y = f + noise, f with the covariance Matern 5/2: s^2 (1 + a + a^2 / 3) e^-a, a^2 = 5 sum_c (distance_c / length_c)^2. Columns
    are divided by their range, targets reduced by their mean and divided by their sd. Lengths, s^2 and noise are the most
    probable ones under a prior. sd is that of f, without the noise.

    distance:      of two values of a column, for all or for each: "difference" for numbers; "overlap" for names, all equally far
                   apart; "both" for numbers where neighbours may be far apart.
    length, overlap_length, noise: medians of the prior; that of a length is for d columns times sqrt(d).
    length_spread, variance_spread, noise_spread: its sds, of the logarithms; infinity means no prior. The default is for few and
                   rough measurements. For many rows of a smooth function give infinity for all three, and evaluations=100: then a
                   column that does not matter gets a length that says so.
    growth:        the parameters are fitted again once the rows have grown by this share.
    evidence_rows: the most rows to which they are fitted; of more, a uniform sample.
    evaluations:   of the evidence in one fit of the parameters, at most.
    max_rows:      that it stands on; of more it keeps the best max_rows / 2 and the latest max_rows / 4.

    X is n x d, kept as floats of 4 bytes; y has n numbers.
    Raises: Error for sizes that disagree, no row, and what is not finite.
    Cost:   fit O(evaluations m^3 + n^3 / 6), m = min(n, evidence_rows), or O(n^2) for each row that was added to those of the
            last fit; predict O(n^2 / 2 + n d) per row.
    Source: Rasmussen, Williams (2006), algorithm 2.1; Hvarfner, Hellsten, Nardi (2024) for the prior.
    """

    def __init__(
        self, *, distance: str | Sequence[str] = "difference", length: float = 0.5, overlap_length: float = 1.0, length_spread: float = 1.0,
        variance_spread: float = 1.0, noise: float = 1e-3, noise_spread: float = 2.0, growth: float = 0.25, evidence_rows: int = 128,
        evaluations: int = 40, max_rows: int = 1000, seed: int = 0,
    ) -> None:
        each = [distance] if isinstance(distance, str) else list(distance)
        self._columns = 0 if isinstance(distance, str) else len(each)
        self._model = _core.Process(
            distances=[text("distance", d) for d in each], length=number("length", length), overlap_length=number("overlap_length", overlap_length),
            length_spread=number("length_spread", length_spread), variance_spread=number("variance_spread", variance_spread),
            noise=number("noise", noise), noise_spread=number("noise_spread", noise_spread), growth=number("growth", growth),
            evidence_rows=count("evidence_rows", evidence_rows), evaluations=count("evaluations", evaluations),
            max_rows=count("max_rows", max_rows), seed=count("seed", seed),
        )

    def fit(self, X: Rows, y: Numbers) -> GaussianProcess:
        """Fits the Gaussian process. Rows that begin with those of the last fit are added to it. Returns it."""
        rows = taken("X", X, 2)
        if self._columns and len(rows.shape) == 2 and rows.shape[1] != self._columns:
            raise _core.Error(f"tunekit: X has {rows.shape[1]} columns and distance {self._columns} words, want as many, or one word")
        self._model.fit(rows, taken("y", y, 1))
        return self

    def predict(self, X: Rows) -> tuple[Array, Array]:
        """Mean and sd of each row."""
        mean, sd = self._model.predict(rows := taken("X", X, 2))
        return given(mean, "d", rows_in(rows)), given(sd, "d", rows_in(rows))

    @property
    def lengths(self) -> list[float]:
        """Of each column, in its ranges; then those of the overlaps of columns with both."""
        return self._model.parameters()[0]

    @property
    def variance(self) -> float:
        """s^2, in variances of the targets."""
        return self._model.parameters()[1]

    @property
    def noise(self) -> float:
        """In variances of the targets."""
        return self._model.parameters()[2]


class KMeans:
    """k-means: clusters of points around their means, by Lloyd's iteration from k-means++ seeds.

        groups = KMeans(16, seed=1).fit(X)
        groups.centroids, groups.labels, groups.loss, groups.predict(others)

    Fewer than k distinct points give as many clusters as there are.

    restarts:   the least loss of them wins.
    iterations: of a restart, at most.
    tolerance:  it ends when the centroids move less, squared and summed, than this share of the variance per coordinate.

    X is n x d, kept as floats of 4 bytes.
    Raises: Error for k of 0, no points, and coordinates that are NaN or beyond 1e15.
    Cost:   O(n k d) per full iteration, few of which are needed.
    Source: Arthur, Vassilvitskii (2007), k-means++, SODA; Hamerly (2010), Making k-means Even Faster, SDM.
    """

    def __init__(self, k: int, *, restarts: int = 1, iterations: int = 100, tolerance: float = 1e-4, seed: int = 0) -> None:
        self._how: dict[str, Any] = {
            "k": count("k", k, 1), "restarts": count("restarts", restarts, 1), "iterations": count("iterations", iterations),
            "tolerance": number("tolerance", tolerance), "seed": count("seed", seed),
        }

    centroids: Array
    """k x d."""
    labels: Array
    """The cluster of each point."""
    loss: float
    """The sum of squared distances to the centroids."""
    iterations: int
    """Of the best restart."""

    def fit(self, X: Rows) -> KMeans:
        """Finds the clusters of these points. Returns itself."""
        points = taken("X", X, 2)
        centroids, of, self.loss, self.iterations = _core.k_means(points, **self._how)
        columns = points.shape[1]
        self.centroids = given(centroids, "f", len(centroids) // 4 // columns, columns)
        self.labels = given(of, "I", rows_in(points))
        return self

    def predict(self, X: Rows) -> Array:
        """The cluster of the nearest centroid of each row."""
        if not hasattr(self, "centroids"):
            raise _core.Error("tunekit: the clusters were not fitted, want fit(X) first")
        points = taken("X", X, 2)
        return given(_core.nearest(points, self.centroids), "I", rows_in(points))


class Bandit:
    """What all bandits have: arms, the rewards that they gave, and a rule that selects one.

        bandit = UCB1(3, seed=1)
        arm = bandit.select()
        bandit.update(arm, reward)

    Arms that were never pulled go first.
    """

    def __init__(self, run: _core.Bandit, arms: int) -> None:
        self._run = run
        self._arms = arms

    def select(self, among: Iterable[int] | None = None) -> int:
        """The next arm, of all, or of those listed in ascending order."""
        return self._run.select(None if among is None else [count("among", int(k)) for k in among])

    def update(self, arm: int, reward: float) -> None:
        """Adds one reward. Raises: Error for an arm that is not there, and a reward that is not finite."""
        self.fit([count("arm", arm)], [number("reward", reward)])

    def fit(self, arms: Numbers, rewards: Numbers) -> Bandit:
        """Adds the rewards of many pulls in their order. Returns the bandit."""
        self._run.update(taken("arms", arms, 1), taken("rewards", rewards, 1))
        return self

    @property
    def estimates(self) -> Array:
        """The mean reward of each arm; 0 before its first pull."""
        return given(self._run.estimates(), "d", self._arms)

    @property
    def pulls(self) -> Array:
        """How often each was pulled."""
        return given(self._run.pulls(), "Q", self._arms)


class EpsilonGreedy(Bandit):
    """The arm of the highest estimate with probability 1 - epsilon, else a uniformly random one.

    Source: Sutton, Barto (2018), Reinforcement Learning, section 2.2.
    """

    def __init__(self, arms: int, *, epsilon: float = 0.05, seed: int = 0) -> None:
        super().__init__(_core.epsilon_greedy(count("arms", arms), number("epsilon", epsilon), count("seed", seed)), arms)


class Softmax(Bandit):
    """An arm drawn with probability proportional to exp(estimate / temperature).

    temperature: in the unit of reward; by default the mean |estimate|, so that the unit does not matter.
    Source: DynaTune (ICLR 2021), appendix A, which has no temperature.
    """

    def __init__(self, arms: int, *, temperature: float | None = None, seed: int = 0) -> None:
        at = None if temperature is None else number("temperature", temperature)
        super().__init__(_core.softmax(count("arms", arms), at, count("seed", seed)), arms)


class UCB(Bandit):
    """The arm of the highest estimate / unit + sqrt(exploration ln t / pulls). DynaTune's; nothing is drawn.

    unit: of the estimates; by default the largest |estimate|, so that a common factor changes nothing.
    Source: DynaTune (ICLR 2021), section 3.3.
    """

    def __init__(self, arms: int, *, exploration: float = 2.0, unit: float | None = None) -> None:
        at = None if unit is None else number("unit", unit)
        super().__init__(_core.ucb(count("arms", arms), number("exploration", exploration), at), arms)


class UCB1(Bandit):
    """The arm of the highest mean + exploration sqrt(ln t / pulls); ties go to a uniform draw.

    With exploration sqrt(2) and independent rewards in [0, 1] the regret is at most 8 sum_a ln t / gap_a + (1 + pi^2 / 3) sum_a gap_a.
    Source: Auer, Cesa-Bianchi, Fischer (2002), Machine Learning 47, 235-256, theorem 1.
    """

    def __init__(self, arms: int, *, exploration: float = 2**0.5, seed: int = 0) -> None:
        super().__init__(_core.ucb1(count("arms", arms), number("exploration", exploration), count("seed", seed)), arms)


class Chain:
    """The walkers after every stored step of a run.

    `samples` are the positions without the first `discard` steps, every `thin`-th, as rows.
    """

    def __init__(self, positions: Array, log_prob: Array, acceptance: Array, thin_by: int) -> None:
        self.positions = positions
        self.log_prob = log_prob
        self.acceptance = acceptance
        self.thin_by = thin_by

    positions: Array
    """Steps x walkers x dimensions."""
    log_prob: Array
    """Steps x walkers."""
    acceptance: Array
    """The share of its proposals that each walker accepted; 0.2 to 0.5 is healthy."""
    thin_by: int
    """Steps from one stored step to the next."""

    def samples(self, discard: int = 0, thin: int = 1) -> Array:
        """The stored steps discard + thin - 1, discard + 2 thin - 1, ... as rows of all walkers."""
        steps, walkers, dimensions = self.positions.shape
        first, by = count("discard", discard), count("thin", thin, 1)
        data = bytearray()
        size = walkers * dimensions * 8
        whole = memoryview(self.positions).cast("B")
        for t in range(first + by - 1, steps, by):
            data += whole[t * size : (t + 1) * size]
        return given(data, "d", len(data) // 8 // dimensions, dimensions)

    def autocorrelation(self) -> tuple[Array, bool]:
        """The integrated autocorrelation time of every coordinate in steps, and whether the chain is 50 of each long.

        Source: Sokal (1997), Monte Carlo Methods in Statistical Mechanics, section 3; averaged over walkers as in emcee 3.
        """
        times, reliable = _core.autocorrelation_times(self.positions)
        scaled = taken("times", [t * self.thin_by for t in memoryview(times).cast("d")], 1)
        return given(bytearray(scaled), "d", len(scaled)), reliable


class EnsembleSampler:
    """The affine-invariant ensemble sampler with the stretch move: draws from a density known up to a constant.

        sampler = EnsembleSampler(lambda x: -0.5 * (x[0] ** 2 + x[1] ** 2), start, seed=1)   # start: 20 walkers x 2
        chain = sampler.run(1000)
        chain.samples(discard=200), chain.autocorrelation()

    Each walker x moves along the line through another walker y: q = y + z (x - y), z = ((a - 1) u + 1)^2 / a. A further `run` goes
    on where the last one ended, with the same steps as one longer run.

    log_density: ln p of one point, an array of its coordinates; -inf where p is 0.
    positions:   W x D, one walker a row, W >= 2 D, spanning the space.
    vectorized:  log_density takes n x D points, and gives n numbers.
    thin_by:     steps from one stored step to the next.
    scale:       a > 1.
    few:         accept fewer walkers, and walkers that do not span the space.

    Raises: Error for a start or a parameter without sense, and a density that is NaN or +inf; what the density raises goes through,
            with the sampler as it was before the run.
    Cost:   W densities a step.
    Source: Goodman, Weare (2010), CAMCoS 5, 65-80; Foreman-Mackey et al. (2013), emcee, PASP 125, 306-312.
    """

    def __init__(
        self, log_density: Callable[[Any], Any], positions: Rows, *, vectorized: bool = False, thin_by: int = 1, scale: float = 2.0,
        few: bool = False, seed: int = 0,
    ) -> None:
        if not callable(log_density):
            raise _core.Error(f"tunekit: log_density is {shown(log_density)}, want a function of a point")
        start = taken("positions", positions, 2)
        self._walkers, dimensions = (*start.shape, 0, 0)[:2]
        self._thin_by = count("thin_by", thin_by, 1)

        def density(points: bytearray, n: int) -> Any:
            rows = given(points, "d", n, dimensions)
            if vectorized:
                return taken("log_density", log_density(rows), 1)
            if isinstance(rows, memoryview):  # which does not give rows
                flat = memoryview(points).cast("d")
                return taken("log_density", [log_density(flat[i * dimensions : (i + 1) * dimensions]) for i in range(n)], 1)
            return taken("log_density", [log_density(row) for row in rows], 1)

        self._dimensions = dimensions
        self._run = _core.Walkers(
            density, start, thin_by=self._thin_by, scale=number("scale", scale), few=bool(few), seed=count("seed", seed),
        )

    def run(self, steps: int) -> Chain:
        """The walkers after each of so many stored steps."""
        n = count("steps", steps, 1)
        positions, log_prob, acceptance = self._run.run(n)
        return Chain(
            given(positions, "d", n, self._walkers, self._dimensions), given(log_prob, "d", n, self._walkers),
            given(acceptance, "d", self._walkers), self._thin_by,
        )


class LogPower:
    """The log power curve through points: y = a / (1 + (x / e^b)^c), c < 0, by least squares.

        curve = LogPower().fit(x, y)
        curve.predict([1000]), curve.a, curve.b, curve.c, curve.sd

    A logistic in ln x with asymptote a, half height at e^b and steepness -c; a is at most 1.5 times the largest y.

    Raises: Error for x below 1, values that are not finite, and a largest y that is not positive.
    Source: Zhang et al. (2021), DynaTune, ICLR, section 4.3; Domhan, Springenberg, Hutter (2015), IJCAI, table 1.
    """

    a: float
    """The asymptote."""
    b: float
    """ln x at half height."""
    c: float
    """Below 0."""
    sd: float
    """Root mean square residual."""

    def fit(self, x: Numbers, y: Numbers) -> LogPower:
        """Fits the curve. Returns it."""
        self.a, self.b, self.c, self.sd = _core.log_power_fit(taken("x", x, 1), taken("y", y, 1))
        return self

    def predict(self, x: Numbers) -> Array:
        """The curve at each x."""
        if not hasattr(self, "a"):
            raise _core.Error("tunekit: the curve was not fitted, want fit(x, y) first")
        at = taken("x", x, 1)
        return given(_core.log_power_at(self.a, self.b, self.c, at), "d", rows_in(at))


class Forecast:
    """A tuning curve's value at a horizon, as a distribution."""

    __slots__ = ("last", "mean", "sd", "expected_improvement", "low", "high", "basis")

    def __init__(self, last: float, mean: float, sd: float, expected_improvement: float, low: float, high: float, basis: str) -> None:
        self.last = last
        self.mean = mean
        self.sd = sd
        self.expected_improvement = expected_improvement
        self.low = low
        self.high = high
        self.basis = basis

    last: float
    """The best so far."""
    mean: float
    """Expected at the horizon."""
    sd: float
    expected_improvement: float
    """E max(0, value - last)."""
    low: float
    """5 % of the distribution lie below."""
    high: float
    """And 5 % above."""
    basis: str
    """What is behind it: "nothing", "fallback", "posterior" (samples of a fitted curve), "improvements"."""

    def __repr__(self) -> str:
        return f"Forecast({self.last:.6g} to {self.mean:.6g} +- {self.sd:.3g}, by {self.basis})"


def forecast(best: Numbers, horizon: float, *, by: str = "improvements", peak: float = 0.0, seed: int = 0) -> Forecast:
    """Where a tuning curve will be: `best` has the best performance after trials 1, 2, ..., n; `horizon` is a trial beyond n.

        forecast([1.0, 1.5, 1.5, 1.8], 100).mean

    by:   "improvements", a Poisson process in ln t of improvements whose gains shrink, in closed form; "log_power", the posterior of
          log power curves, sampled, as DynaTune has it.
    peak: of the device, in the unit of `best`, for "log_power"; 0 where unknown: 1.25 times the last value.

    Raises: Error for a negative or infinite value, and a horizon that is not beyond the curve.
    Cost:   10 us; 1.5 to 3 ms for "log_power".
    Source: Zhang et al. (2021), DynaTune, ICLR, section 4.3; the first is the library's own.
    """
    return Forecast(**_core.forecast(
        taken("best", best, 1), horizon=number("horizon", horizon), by=text("by", by), peak=number("peak", peak), seed=count("seed", seed),
    ))
