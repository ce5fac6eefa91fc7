// SPDX-License-Identifier: MIT
#include "tunekit/curve/belief.hpp"
#include "tests/support/curve_families.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tunekit/mcmc/diagnostics.hpp"
#include "tunekit/random/philox.hpp"

namespace curve = tunekit::curve;
namespace mcmc = tunekit::mcmc;
using tunekit::random::philox;

static_assert(curve::belief_model<curve::belief<>, philox>);
static_assert(curve::belief_model<curve::belief<support::pow4>, philox>);

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

const std::array<double, 3> truth{0.8, 3.0, -1.2};

double at(double x) { return curve::value<curve::log_power>(truth, x); }

/// The best of random configurations so far: a tuning curve as a search makes it, below 1.
std::vector<double> best_so_far(std::size_t n, std::uint64_t seed)
{
    philox gen{seed};
    std::vector<double> best;
    double top = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double u = tunekit::random::uniform_01(gen);
        best.push_back(top = (std::max)(top, 0.3 + 0.5 * u * u));
    }
    return best;
}

/// The same where the search learns: a log power curve reached from below.
std::vector<double> learning(std::size_t n, std::uint64_t seed)
{
    philox gen{seed};
    std::vector<double> best;
    double top = 0;
    for (std::size_t i = 1; i <= n; ++i)
        best.push_back(
            top = (std::max)(top, at(static_cast<double>(i)) * (0.7 + 0.3 * tunekit::random::uniform_01(gen))));
    return best;
}

void check_sane(const curve::forecast& f)
{
    CHECK(std::isfinite(f.mean));
    CHECK(f.sd >= 0);
    CHECK(f.expected_improvement >= 0);
    CHECK(f.expected_saving >= 0);
    CHECK(curve::latency_reduction(f, 1e9) >= 0);
    CHECK(curve::latency_reduction(f, 1e9, 2, curve::gain::expected) >= 0);
}

}  // namespace

TEST_CASE("the log posterior is the sum it claims to be")
{
    const std::vector<double> x{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, y{.1, .2, .2, .3, .3, .4, .4, .4, .5, .5};
    const std::array<double, 3> p{0.7, 1.5, -0.9};
    const curve::box_of<curve::log_power> box = curve::log_power::box(1.5);
    double want = 0;
    for (std::size_t i = 0; i < 10; ++i) {
        const double r = (y[i] - 0.7 / (1 + std::pow(x[i] / std::exp(1.5), -0.9))) / 0.05;
        want += -0.5 * r * r - std::log(0.05) - 0.5 * std::log(2 * 3.141592653589793);
    }
    const curve::log_posterior<curve::log_power> density(curve::observations(x, y), {.box = box});
    CHECK(density.one(p, 0.05) == doctest::Approx(want).epsilon(1e-12));
    CHECK(density.dimensions() == 4);
    const curve::log_posterior<curve::log_power> half(curve::observations(x, y),
                                                      {.box = box, .known_noise = 0.05, .scale = 0.5});
    CHECK(half.one(p, 0.05) == doctest::Approx(0.5 * want).epsilon(1e-12));
    CHECK(half.dimensions() == 3);
    CHECK(density.one({2, 1.5, -0.9}, 0.05) == -infinity);   // outside the box
    CHECK(density.one({0.7, 1.5, 0.9}, 0.05) == -infinity);  // falling
    CHECK(density.one(p, 1.5) == -infinity);                 // noise outside its range
    const curve::log_posterior<curve::log_power> bounded(curve::observations(x, y),
                                                         {.box = box, .not_below = {20, 0.6}});
    CHECK(bounded.one(p, 0.05) == -infinity);  // f(20) = 0.556
    CHECK(bounded.one({0.8, 1.5, -0.9}, 0.05) == doctest::Approx(density.one({0.8, 1.5, -0.9}, 0.05)));
    CHECK_THROWS_AS((curve::log_posterior<curve::log_power>(curve::observations(x, y), {.box = box, .scale = 0})),
                    std::invalid_argument);
}

TEST_CASE(
    "the posterior of a noisy log power curve holds the truth within 4 posterior sd in 20 data sets, p(false alarm) < "
    "1e-2 by seed")
{
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        philox gen{100 + seed};
        std::vector<double> x, y;
        for (int i = 1; i <= 100; ++i) {
            x.push_back(i);
            y.push_back(at(i) + 0.03 * tunekit::random::normal(gen));
        }
        const curve::log_posterior<curve::log_power> density(curve::observations(x, y),
                                                             {.box = curve::log_power::box(1.5)});
        const mcmc::ensemble sampler{mcmc::stretch{}};
        auto s = sampler.start(
            density,
            mcmc::ball(std::array{truth[0], truth[1], truth[2], 0.03}, std::array{1e-2, 1e-2, 1e-2, 1e-3}, 10, gen), 4);
        const auto kept = mcmc::kept(sampler.run(s, density, 1000, gen), 300);
        for (std::size_t c = 0; c < 3; ++c) {
            double mean = 0, squares = 0;
            for (std::size_t i = 0; i < kept.samples(); ++i)
                mean += kept.sample(i)[c] / static_cast<double>(kept.samples());
            for (std::size_t i = 0; i < kept.samples(); ++i)
                squares += std::pow(kept.sample(i)[c] - mean, 2) / static_cast<double>(kept.samples());
            CHECK(std::abs(mean - truth[c]) < 4 * std::sqrt(squares));
        }
    }
}

TEST_CASE(
    "with independent noise, 90 % intervals of f(x') cover in 200 data sets as often as 90 % may: 180 +- 4.9 sd of "
    "4.24")
{
    const curve::belief<> belief{{.jump = infinity,
                                  .steps = 400,
                                  .burn_in = 100,
                                  .not_below_last = false,
                                  .start = curve::walkers_from::hessian}};
    int covered = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        philox gen{1000 + seed};
        std::vector<double> y;
        for (int i = 1; i <= 60; ++i) y.push_back(at(i) + 0.02 * tunekit::random::normal(gen));
        for (double& v : y) v = (std::max)(v, 1e-3);
        auto predictions = belief.explain(y, 90, 1, gen).predictions;
        std::sort(predictions.begin(), predictions.end());
        REQUIRE(predictions.size() == 300);
        covered += predictions[15] <= at(90) && at(90) <= predictions[284];
    }
    CHECK(covered >= 180 - 20);
    CHECK(covered <= 180 + 20);
}

TEST_CASE("acceptance on best-so-far curves of 20 to 150 points stays within 0.4 and 0.7")
{
    for (const std::size_t n : {20U, 40U, 80U, 150U}) {
        philox gen{n};
        const auto found =
            curve::belief<>{{.jump = infinity}}.explain(learning(n, n), static_cast<double>(n) + 10, 1, gen);
        CHECK(found.forecast.basis == curve::basis::posterior);
        CHECK(found.predictions.size() == 200);
        CHECK(found.acceptance > 0.4);
        CHECK(found.acceptance < 0.7);
    }
}

TEST_CASE("forecasts are sane and scale with the unit for every family, curve length and option")
{
    const auto check = [](const auto& belief) {
        for (const std::size_t n : {1U, 4U, 6U, 30U, 700U}) {
            const auto best = best_so_far(n, 7 + n);
            philox gen{n}, other{n};
            const auto f = belief.predict(best, static_cast<double>(n) * 1.2 + 1, 1, gen);
            check_sane(f);
            if (n >= 30) CHECK(f.mean >= f.last * 0.999);
            std::vector<double> scaled = best;
            for (double& v : scaled) v *= 0x1p30;  // a power of two: the same bits, another unit
            const auto g = belief.predict(scaled, static_cast<double>(n) * 1.2 + 1, 0x1p30, other);
            CHECK(g.mean == f.mean * 0x1p30);
            CHECK(g.sd == f.sd * 0x1p30);
            CHECK(g.basis == f.basis);
        }
    };
    check(curve::belief<>{});
    check(curve::belief<>{{.scale_by_distinct = true, .start = curve::walkers_from::hessian}});
    check(curve::belief<support::pow4>{});
    check(curve::belief<support::pow2>{});
    check(curve::belief<support::log_linear>{});
    check(curve::belief<support::log_log_linear>{});
}

TEST_CASE("a demand on the prediction is kept by every sample")
{
    philox gen{3};
    const auto best = best_so_far(60, 3);
    const auto found = curve::belief<>{}.explain(best, 70, 1, gen);
    for (const double p : found.predictions) CHECK(p >= best.back() * (1 - 1e-12));
    const auto outside = std::count_if(found.predictions.begin(), found.predictions.end(),
                                       [&](double p) { return p < found.forecast.low || p > found.forecast.high; });
    CHECK(outside == 20);  // of 200
}

TEST_CASE("scaling by distinct values widens the forecast of a stepped curve")
{
    const auto best = best_so_far(120, 5);
    philox gen{5}, other{5};
    const curve::belief_options whole{.jump = infinity};
    curve::belief_options scaled = whole;
    scaled.scale_by_distinct = true;
    CHECK(curve::belief<>{scaled}.predict(best, 150, 1, other).sd >
          1.5 * curve::belief<>{whole}.predict(best, 150, 1, gen).sd);
}

TEST_CASE("starting from the least-squares curvature finds the same posterior")
{
    philox gen{6};
    std::vector<double> y;
    for (int i = 1; i <= 150; ++i) y.push_back(at(i) + 0.01 * tunekit::random::normal(gen));
    for (double& v : y) v = (std::max)(v, 1e-3);
    const curve::belief_options ball{.jump = infinity, .steps = 4000, .burn_in = 1000};
    curve::belief_options hessian = ball;
    hessian.start = curve::walkers_from::hessian;
    const auto a = curve::belief<>{ball}.predict(y, 200, 1, gen), b = curve::belief<>{hessian}.predict(y, 200, 1, gen);
    CHECK(std::abs(a.mean - b.mean) < 0.5 * a.sd);
    CHECK(b.sd == doctest::Approx(a.sd).epsilon(0.2));
}

TEST_CASE("curves that have nothing to fit: empty, zeros, one point, plateaus, a jump at the last point")
{
    philox gen{8}, untouched = gen;
    const curve::belief<> belief;
    CHECK(belief.predict({}, 5, 1, gen) == curve::forecast{});
    CHECK(belief.predict(std::vector<double>(20, 0.0), 30, 1, gen) == curve::forecast{});
    CHECK(curve::latency_reduction(curve::forecast{}, 1e9) == 0);

    const auto one = belief.predict(std::vector{0.5}, 5, 1, gen);
    CHECK(one.basis == curve::basis::fallback);
    CHECK(one.mean == 0.5);
    CHECK(one.sd == 0.025);
    const auto flat = belief.predict(std::vector<double>(30, 0.5), 40, 1, gen);
    CHECK(flat.basis == curve::basis::fallback);
    CHECK(flat.mean == 0.5);
    // slots of 2: 0.5 / 0.4, 0.4 / 0.4; the third would begin before the curve
    const auto short_curve = belief.predict(std::vector{0.4, 0.4, 0.45, 0.5}, 6, 1, gen);
    CHECK(short_curve.basis == curve::basis::fallback);
    CHECK(short_curve.mean == doctest::Approx(0.5 * (1 + 0.5 * 0.25)));
    CHECK(gen == untouched);  // a fallback draws nothing

    std::vector<double> jump(40, 0.3);
    jump.back() = 0.6;
    const auto jumped = belief.explain(jump, 50, 1, gen);
    CHECK(jumped.first == 35);
    check_sane(jumped.forecast);
    CHECK(jumped.forecast.last == 0.6);
}

TEST_CASE("an unknown peak is 1.25 of the last value, and values above the peak are legal")
{
    const auto best = best_so_far(50, 9);
    philox gen{9}, other{9};
    CHECK(curve::belief<>{}.predict(best, 60, 0, gen) ==
          curve::belief<>{}.predict(best, 60, 1.25 * best.back(), other));
    philox third{9};
    const auto above = curve::belief<>{}.predict(best, 60, 0.3 * best.back(), third);
    check_sane(above);
    CHECK(above.mean >= best.back() * 0.999);
}

TEST_CASE("gains: 231.211008 MFLOP from 500 to 600 GFLOP/s save 0.0770703 ms, and a saturated curve saves nothing")
{
    curve::forecast f{.last = 500e9,
                      .mean = 600e9,
                      .sd = 0,
                      .expected_improvement = 100e9,
                      .expected_saving = 1 / 500e9 - 1 / 600e9,
                      .basis = curve::basis::posterior};
    CHECK(curve::latency_reduction(f, 231.211008e6) == doctest::Approx(0.0770703e-3).epsilon(1e-5));
    CHECK(curve::latency_reduction(f, 231.211008e6, 3, curve::gain::expected) ==
          doctest::Approx(3 * 0.0770703e-3).epsilon(1e-5));
    f.expected_improvement = 0;
    CHECK(curve::latency_reduction(f, 231.211008e6) == 0);

    std::vector<double> saturated;
    for (int i = 1; i <= 200; ++i) saturated.push_back(0.5 / (1 + std::exp(-1.5 * std::log(i))));
    philox gen{10};
    const auto found = curve::belief<>{{.jump = infinity}}.predict(saturated, 210, 1, gen);
    CHECK(found.basis == curve::basis::posterior);
    CHECK(found.expected_improvement < 1e-3 * found.last);
}

TEST_CASE("a belief refuses horizons behind the curve and options that keep nothing")
{
    philox gen{11};
    const std::vector best{0.1, 0.2};
    CHECK_THROWS_WITH_AS((void)curve::belief<>{}.predict(best, 2, 1, gen),
                         "tunekit: belief.predict: the horizon is not beyond the curve, want more trials than it has",
                         std::invalid_argument);
    CHECK_THROWS_AS((void)curve::belief<>{{.burn_in = 500}}.predict(best, 3, 1, gen), std::invalid_argument);
    CHECK_THROWS_AS((void)curve::belief<>{}.predict(std::vector{0.1, -0.2}, 3, 1, gen), std::invalid_argument);
}

TEST_CASE("equal generators give equal forecasts")
{
    const auto best = best_so_far(50, 12);
    philox gen{12}, other{12};
    CHECK(curve::belief<>{}.predict(best, 60, 1, gen) == curve::belief<>{}.predict(best, 60, 1, other));
    CHECK(gen == other);
}

TEST_CASE("values and horizons of no run are refused")
{
    philox gen(1);
    const tunekit::curve::belief<> b{};
    CHECK_THROWS_AS((void)b.predict(std::vector<double>{1e307, 5e307, 1e308, 1e308, 1e308, 1e308}, 10, 1.7e308, gen),
                    std::invalid_argument);
    CHECK_THROWS_AS((void)b.predict(std::vector<double>{1, 2, 3, 4, 5, 6}, 1e308, 10, gen), std::invalid_argument);
    const auto f =
        b.predict(std::vector<double>{1, 2, 3, 4, 5, 6, 7}, 10, 1.7e308, gen);  // a peak that is none is guessed
    CHECK(std::isfinite(f.mean));
}
