// SPDX-License-Identifier: MIT
#include "tunekit/curve/improvements.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace curve = tunekit::curve;
using tunekit::random::philox;

static_assert(curve::belief_model<curve::improvement_process, philox>);

namespace {

/// The integral of f over [0, infinity) by the midpoint rule in x = t / (1 - t).
template <class F>
double integral(F f)
{
    constexpr int n = 200000;
    double sum = 0;
    for (int i = 0; i < n; ++i) {
        const double t = (i + 0.5) / n;
        sum += f(t / (1 - t)) / ((1 - t) * (1 - t));
    }
    return sum / n;
}

/// The best of uniform values so far, to the power of 4 so that gains shrink slowly.
std::vector<double> random_search(std::size_t n, philox& gen)
{
    std::vector<double> best;
    double top = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double u = tunekit::random::uniform_01(gen);
        best.push_back(top = (std::max)(top, 0.05 + u * u * u * u));
    }
    return best;
}

}  // namespace

TEST_CASE("a distribution of gains: known values, and moments that are the integrals of its survival")
{
    const curve::improvement_process::distribution g(3, 0.5, 4, 0.3);
    CHECK(g.survival(-0.1) == 1);
    CHECK(g.survival(0) == doctest::Approx(1 - 8.0 / 27));  // P(N = 0) = 1.5^-3
    // by hand at x = scale: sum_j P(N > j) C(3 + j, j) 2^-4 2^-j, with P(N = j) = C(2 + j, j) (2/3)^3 3^-j
    double by_hand = 0, below = 0, more = 8.0 / 27, term = 1.0 / 16;
    for (int j = 0; j < 200; ++j) {
        below += more;
        by_hand += (1 - below) * term;
        more *= (3.0 + j) / (j + 1) / 3;
        term *= (4.0 + j) / (j + 1) / 2;
    }
    CHECK(g.survival(0.3) == doctest::Approx(by_hand).epsilon(1e-9));
    CHECK(g.mean() == doctest::Approx(3 * 0.5 * 0.1));
    CHECK(integral([&](double x) { return g.survival(x); }) == doctest::Approx(g.mean()).epsilon(1e-5));
    const double second = g.sd() * g.sd() + g.mean() * g.mean();
    CHECK(integral([&](double x) { return 2 * x * g.survival(x); }) == doctest::Approx(second).epsilon(1e-3));
    const double saved = integral([&](double x) { return g.survival(x) / ((1 + x) * (1 + x)); });
    CHECK(saved == doctest::Approx(g.saved_share()).epsilon(1e-5));
    for (const double p : {0.3, 0.5, 0.9, 0.99, 0.9999})
        CHECK(g.survival(g.quantile(p)) == doctest::Approx(1 - p).epsilon(1e-6));
    for (const double p : {0.0, 0.1, 0.29}) CHECK(g.quantile(p) == 0);
    CHECK(curve::improvement_process::distribution{}.quantile(0.99) == 0);
    CHECK(curve::improvement_process::distribution{}.saved_share() == 0);
    CHECK(curve::improvement_process::distribution{}.survival(0) == 0);
    CHECK_THROWS_AS(curve::improvement_process::distribution(0, 1, 3, 1), std::invalid_argument);
    CHECK_THROWS_AS(curve::improvement_process::distribution(1, 1, 2, 1), std::invalid_argument);
    CHECK_THROWS_AS(curve::improvement_process::distribution(1, std::numeric_limits<double>::infinity(), 3, 1),
                    std::invalid_argument);
}

TEST_CASE("extreme parameters stay finite and ordered")
{
    for (const double count : {1e-3, 2.0, 500.0})
        for (const double exposure : {1e-9, 0.1, 20.0})
            for (const double scale : {1e-12, 0.1, 1e6}) {
                const curve::improvement_process::distribution g(count, exposure, 2.5, scale);
                CHECK(std::isfinite(g.mean()));
                CHECK(std::isfinite(g.sd()));
                CHECK(g.saved_share() >= 0);
                CHECK(g.saved_share() <= 1);
                CHECK(g.saved_share() <= g.mean() * (1 + 1e-3));
                CHECK(std::isfinite(g.quantile(0.999)));
                CHECK(g.quantile(0.5) <= g.quantile(0.999));
            }
}

TEST_CASE("a curve by hand: 0 1 1 2 with horizon 8")
{
    // First valid trial 2, one record at trial 4 of 4 that saves half: rate (2 + 1) / (2 + 1 - 2/4), shape 2.5 + 1,
    // scale 0.1 * 1.5 / sqrt(4) + 0.5, exposure ln 2 over the denominator.
    const curve::improvement_process known{.shrinking = 0.5};
    const auto g = known.gains(std::vector{0.0, 1.0, 1.0, 2.0}, 8);
    CHECK(g.mean() == doctest::Approx(3 * std::log(2.0) / 2.5 * 0.575 / 2.5));
    CHECK(g.survival(0) == doctest::Approx(1 - std::pow(1 + std::log(2.0) / 2.5, -3)));
    const auto all_alike = curve::improvement_process{.forgetting = 0}.gains(std::vector{0.0, 1.0, 1.0, 2.0}, 8);
    CHECK(all_alike.survival(0) == doctest::Approx(1 - std::pow(1 + std::log(2.0) / (2 + std::log(2.0)), -3)));
    philox gen{1}, untouched = gen;
    const auto f = known.predict(std::vector{0.0, 1.0, 1.0, 2.0}, 8, 0, gen);
    CHECK(gen == untouched);
    CHECK(f.basis == curve::basis::improvements);
    CHECK(f.last == 2);
    CHECK(f.mean == doctest::Approx(2 + 2 * g.mean()));
    CHECK(f.expected_improvement == doctest::Approx(2 * g.mean()));
    CHECK(f.expected_saving == doctest::Approx(g.saved_share() / 2));
    CHECK(f.low == 2);
    CHECK(f.high == doctest::Approx(2 + 2 * g.quantile(0.95)));
}

TEST_CASE("random search: no record in half of the doublings, and 90 % intervals hold 90 to 99.5 %")
{
    // 600 curves cut at 60. P(no record until 120) is 1/2: 300 +- 12.2. The interval can miss above only: coverage of a perfect
    // one is 95 %, 570 +- 5.3; 30 are granted to a model of gains that is none of this one's.
    philox gen{2};
    int none = 0, covered = 0;
    double forecast = 0;
    for (int i = 0; i < 600; ++i) {
        const auto best = random_search(120, gen);
        const auto seen = std::span<const double>(best).first(60);
        const auto g = curve::improvement_process{}.gains(seen, 120);
        const double came = best[119] / best[59] - 1;
        none += came == 0;
        forecast += 1 - g.survival(0);
        covered += came <= g.quantile(0.95);
    }
    CHECK(std::abs(none - 300) < 61);  // 5 sd
    CHECK(std::abs(forecast / 600 - 0.5) < 0.06);
    CHECK(covered >= 540);
    CHECK(covered <= 597);
}

TEST_CASE("curves that have little to tell: empty, zeros, one point, plateaus, a leap at the last point")
{
    philox gen{3};
    const curve::improvement_process belief;
    CHECK(belief.predict({}, 5, 1, gen) == curve::forecast{});
    CHECK(belief.predict(std::vector<double>(20, 0.0), 30, 1, gen) == curve::forecast{});
    CHECK(curve::latency_reduction(belief.predict({}, 5, 1, gen), 1e9) == 0);
    const auto one = belief.predict(std::vector{0.5}, 5, 1, gen);
    CHECK(one.last == 0.5);
    CHECK(one.mean > 0.5);
    CHECK(one.high > one.mean);
    const auto flat = belief.predict(std::vector<double>(300, 0.5), 310, 1, gen);
    CHECK(flat.expected_improvement > 0);
    CHECK(flat.expected_improvement < 1e-3);
    CHECK(flat.high == 0.5);  // P(no record) is above 95 %
    std::vector<double> leap(40, 0.3);
    const auto before = belief.predict(leap, 50, 1, gen);
    leap.back() = 30;
    const auto after = belief.predict(leap, 50, 1, gen);
    CHECK(after.last == 30);
    CHECK(after.expected_improvement / 30 > before.expected_improvement / 0.3);
    CHECK(after.expected_improvement < 30);  // a leap of 100 promises no other
}

TEST_CASE("forecasts scale with the unit and grow with the horizon")
{
    philox gen{4};
    const auto best = random_search(80, gen);
    std::vector<double> scaled = best;
    for (double& v : scaled) v *= 0x1p30;
    const curve::improvement_process belief;
    const auto f = belief.predict(best, 100, 0, gen), g = belief.predict(scaled, 100, 5e9, gen);
    CHECK(g.mean == f.mean * 0x1p30);
    CHECK(g.high == f.high * 0x1p30);
    CHECK(g.expected_saving == f.expected_saving / 0x1p30);
    double last = 0;
    for (const double horizon : {80.25, 81.0, 100.0, 200.0, 1e4, 1e9}) {
        const double gain = belief.gains(best, horizon).mean();
        CHECK(gain > last);
        CHECK(std::isfinite(belief.gains(best, horizon).sd()));
        last = gain;
    }
}

TEST_CASE("a record process refuses horizons behind the curve, curves of nonsense and parameters out of range")
{
    const std::vector best{0.1, 0.2};
    CHECK_THROWS_WITH_AS(
        (void)curve::improvement_process{}.gains(best, 2),
        "tunekit: improvement_process: the horizon is not beyond the curve, want more trials than it has",
        std::invalid_argument);
    CHECK_THROWS_AS((void)curve::improvement_process{}.gains(std::vector{0.1, -0.2}, 3), std::invalid_argument);
    CHECK_THROWS_AS((void)curve::improvement_process{}.gains(std::vector{0.1, std::nan("")}, 3), std::invalid_argument);
    CHECK_THROWS_AS((void)curve::improvement_process{.rate_prior = 0}.gains(best, 3), std::invalid_argument);
    CHECK_THROWS_AS((void)curve::improvement_process{.gain_shape = 2}.gains(best, 3), std::invalid_argument);
    CHECK_THROWS_AS((void)curve::improvement_process{.shrinking = -1}.gains(best, 3), std::invalid_argument);
}
