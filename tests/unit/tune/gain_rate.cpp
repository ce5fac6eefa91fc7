// SPDX-License-Identifier: MIT
#include "tunekit/tune/gain_rate.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/grid_space.hpp"
#include "tunekit/random/normal.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/tune/tuner.hpp"

namespace tk = tunekit;
using support::grid_space;
using philox = tk::random::philox;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The curve of these costs, each after `pace` more seconds.
std::vector<tk::curve::curve_point> curve_of(const std::vector<double>& costs, double pace = 1)
{
    std::vector<tk::curve::curve_point> out;
    double best = infinity, now = 0;
    for (const double c : costs) {
        best = c < best ? c : best;
        now += pace;
        out.push_back({out.size() + 1, now, best});
    }
    return out;
}

/// A run whose costs are log-normal, or failures in a share of the trials: the number of trials until it stops.
std::size_t trials_until(double below, double calls, std::uint64_t seed, std::uint64_t failing_first = 0)
{
    tk::tuner t(grid_space({600}), tk::search::random{}, {.stop_when_gain_below = below, .calls = calls}, philox(seed));
    philox gen(seed + 1000);
    std::uint64_t n = 0;
    while (const auto j = t.ask()) {
        tk::measure::measurement m{.cost = std::exp(tk::random::normal(gen)), .runs = 1, .run_seconds = 0.5};
        if (n++ < failing_first) m.failed = tk::measure::failure{tk::measure::failure_kind::crash, 11, "gone"};
        t.tell(*j, m);
    }
    CHECK(t.stopped() == (t.record().trials().size() < 600 ? tk::stop_reason::gain : tk::stop_reason::exhausted));
    return t.record().trials().size();
}

}  // namespace

TEST_CASE("gain_rate of a curve that never improved, by hand")
{
    // After 100 trials the rate of improvements per factor e is 2 / (2 + 0.99), and one saves 0.1 * 100^-0.6 on average. So
    // the next trial saves 4.199e-5 of 3 s a call, and 1 % of that less, because gains of a rate are larger than shares.
    const double share = 2 / 2.99 * std::log(101.0 / 100) * 0.1 * std::pow(100, -0.6);
    CHECK(share == doctest::Approx(4.199e-5).epsilon(1e-3));
    const double rate = tk::gain_rate(curve_of(std::vector<double>(100, 3.0), 0.25), 1000);
    CHECK(rate < 1000 * 3 * share / 0.25);
    CHECK(rate > 0.97 * 1000 * 3 * share / 0.25);
}

TEST_CASE("gain_rate is proportional to calls, cost and pace, and sees the pace of the second half alone")
{
    const std::vector<double> costs{9, 8, 8.5, 5, 6, 4, 4, 7, 3.5, 6};
    const auto curve = curve_of(costs);
    const double rate = tk::gain_rate(curve, 10);
    CHECK(rate > 0);
    CHECK(tk::gain_rate(curve, 70) == doctest::Approx(7 * rate));
    CHECK(tk::gain_rate(curve_of(costs, 4), 10) == doctest::Approx(rate / 4));
    auto tenfold = costs;
    for (double& c : tenfold) c *= 10;
    CHECK(tk::gain_rate(curve_of(tenfold), 1) == doctest::Approx(rate));
    auto late = curve;  // the first five took 20 s more
    for (auto& p : late) p.seconds += 20;
    CHECK(tk::gain_rate(late, 10) == doctest::Approx(rate));
    for (std::size_t i = 0; i < 5; ++i) late[i].seconds -= 20;  // the sixth took 20 s more
    CHECK(tk::gain_rate(late, 10) == doctest::Approx(rate * 5 / 25));
}

TEST_CASE("gain_rate falls the further it looks, and is finite for 200 curves with failures")
{
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        philox gen(seed);
        std::vector<double> costs;
        const auto n = 8 + static_cast<std::size_t>(tk::random::uniform_index(300, gen));
        while (costs.size() < n)
            costs.push_back(tk::random::uniform_01(gen) < 0.3 ? infinity : std::exp(3 * tk::random::normal(gen)));
        double last = infinity;
        for (const double ahead : {1.0, 4.0, 30.0, 300.0}) {
            const double rate = tk::gain_rate(curve_of(costs), 1, ahead);
            CHECK(rate > 0);
            CHECK(rate < last);
            last = rate;
        }
    }
}

TEST_CASE("gain_rate of nothing valid is 0, of trials without time infinite, and what means nothing is refused")
{
    CHECK(tk::gain_rate({}, 1) == 0);
    CHECK(tk::gain_rate(curve_of({infinity, infinity}), 1) == 0);
    CHECK(tk::gain_rate(curve_of({3, 2}, 0), 1) == infinity);
    const auto refused = [](double calls, double ahead) {
        CHECK_THROWS_AS(static_cast<void>(tk::gain_rate(curve_of({1}), calls, ahead)), std::invalid_argument);
    };
    for (const double bad : {0.0, -1.0, infinity, std::nan("")}) {
        refused(bad, 1);
        refused(1, bad);
    }
    const auto budget = [](const tk::budget& b, const char* words) {
        CHECK_THROWS_WITH_AS(tk::tuner(grid_space({9}), tk::search::random{}, b, philox(1)), words,
                             std::invalid_argument);
    };
    budget({.stop_when_gain_below = 1},
           "tunekit: budget: stop_when_gain_below needs calls, want how often the winner is called");
    budget({.stop_when_gain_below = std::nan(""), .calls = 1},
           "tunekit: budget: stop_when_gain_below is negative or NaN, want >= 0 (0: never)");
    budget({.calls = infinity},
           "tunekit: budget: calls is negative or not finite, want how often the winner is called");
}

TEST_CASE("a run stops by gain: never at 0, after eight at infinity, after a success where those failed")
{
    CHECK(trials_until(0, 1, 1) == 600);
    CHECK(trials_until(1e-300, 1, 1) == 600);
    CHECK(trials_until(infinity, 1e300, 1) == 8);
    CHECK(trials_until(infinity, 1, 1, 20) == 21);
}

TEST_CASE("more calls never stop a run sooner, and a higher demand never later")
{
    std::size_t inside = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        std::size_t last = 0;
        for (const double calls : {1.0, 10.0, 100.0, 1000.0, 1e4, 1e5}) {
            const std::size_t n = trials_until(1, calls, seed);
            CHECK(n >= last);
            CHECK(n == trials_until(1e-3, calls / 1e3, seed));  // both are a price: only their ratio counts
            last = n;
            inside += n > 8 && n < 600 ? 1 : 0;
        }
    }
    CHECK(inside > 20);  // between none of it and all
}

TEST_CASE("a run that stopped by gain goes on where more calls are promised")
{
    tk::tuner t(grid_space({600}), tk::search::random{}, {.trials = 50, .stop_when_gain_below = 1, .calls = 1e-6},
                philox(1));
    const auto drive = [&t] {
        while (const auto j = t.ask()) t.tell(*j, {.cost = 1, .runs = 1, .run_seconds = 0.5});
    };
    drive();
    CHECK(t.stopped() == tk::stop_reason::gain);
    CHECK(t.record().trials().size() == 8);
    CHECK(tk::to_text(t.stopped()) == "more tuning is not expected to pay");
    t.set_limit({.trials = 50, .stop_when_gain_below = 1, .calls = 1e-6});
    CHECK(t.stopped() == tk::stop_reason::gain);
    t.set_limit({.trials = 50, .stop_when_gain_below = 1, .calls = 1e9});
    CHECK(t.stopped() == tk::stop_reason::running);
    drive();
    CHECK(t.stopped() == tk::stop_reason::trials);
}
