// SPDX-License-Identifier: MIT
#include "tunekit/report/outlook.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "tunekit/curve/belief.hpp"
#include "tunekit/curve/improvements.hpp"
#include "tunekit/random/philox.hpp"

namespace schedule = tunekit::schedule;
using tunekit::random::philox;

static_assert(schedule::detail::tells_gains<tunekit::curve::improvement_process>);
static_assert(!schedule::detail::tells_gains<tunekit::curve::belief<>>);

namespace {

struct tells_means {
    double gains(std::span<const double>, double) const;
};
static_assert(!schedule::detail::tells_gains<tells_means> && !schedule::detail::tells_gains<int>);

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Gains `gain` with probability `chance` until any horizon, and keeps what it was asked.
struct coin {
    double gain = 0.25, chance = 1;
    std::vector<double>* horizons = nullptr;

    struct outcome {
        double gain, chance;
        [[nodiscard]] double quantile(double p) const { return p > 1 - chance ? gain : 0; }
        [[nodiscard]] double saved_share() const { return chance * gain / (1 + gain); }
    };

    [[nodiscard]] outcome gains(std::span<const double>, double horizon) const
    {
        if (horizons != nullptr) horizons->push_back(horizon);
        return {gain, chance};
    }
};

std::vector<tunekit::curve::curve_point> points(std::initializer_list<double> costs)
{
    std::vector<tunekit::curve::curve_point> out;
    for (const double c : costs) out.push_back({out.size() + 1, static_cast<double>(out.size() + 1), c});
    return out;
}

}  // namespace

TEST_CASE("a certain gain of a quarter saves a fifth of the weighted latencies, with nothing uncertain")
{
    const auto a = points({infinity, 0.004, 0.002}), b = points({0.001});
    const std::vector<schedule::task_view> tasks{{.flops = 1e6, .weight = 3, .curve = a, .seconds = 6},
                                                 {.flops = 1e6, .weight = 1, .curve = b, .seconds = 4}};
    std::vector<double> horizons;
    philox gen{1};
    const auto next = schedule::expected_gain(tasks, 24, coin{.horizons = &horizons}, gen);
    CHECK(next.seconds == 24);
    CHECK(next.gain == doctest::Approx(0.2 * 0.007));
    CHECK(next.low == doctest::Approx(0.2 * 0.007));
    CHECK(next.high == doctest::Approx(0.2 * 0.007));
    CHECK(horizons == std::vector{9.0, 4.0});  // 12 s each, at 2 s and 4 s a trial
}

TEST_CASE("of two even chances a quarter of the sums is nothing, a quarter is both")
{
    const auto a = points({0.001, 0.001});
    const std::vector<schedule::task_view> tasks(2, {.flops = 1e6, .curve = a, .seconds = 1});
    philox gen{2};
    const auto next = schedule::expected_gain(tasks, 10, coin{.chance = 0.5}, gen);
    CHECK(next.gain == doctest::Approx(0.0002));
    CHECK(next.low == 0);
    CHECK(next.high == doctest::Approx(0.0004));
    const std::vector<schedule::task_view> many(100, {.flops = 1e6, .curve = a, .seconds = 1});
    const auto sum = schedule::expected_gain(many, 10, coin{.chance = 0.5}, gen);  // 50 +- 5 gains of 0.2 ms
    CHECK(sum.gain == doctest::Approx(0.01));
    CHECK(sum.low == doctest::Approx(0.01 - 0.0002 * 8.2).epsilon(0.1));
    CHECK(sum.high == doctest::Approx(0.01 + 0.0002 * 8.2).epsilon(0.1));
}

TEST_CASE("ended tasks get no time; tasks without a valid trial get theirs and add nothing")
{
    const auto a = points({0.001, 0.001}), none = points({infinity, infinity});
    const schedule::task_view good{.flops = 1e6, .curve = a, .seconds = 2};
    const schedule::task_view ended{.flops = 1e6, .curve = a, .seconds = 2, .active = false},
        lost{.flops = 1e6, .curve = none, .seconds = 2}, empty{.flops = 1e6};
    std::vector<double> horizons;
    philox gen{3}, untouched = gen;
    const std::vector tasks{good, ended, lost, empty};
    CHECK(schedule::expected_gain(tasks, 9, coin{.horizons = &horizons}, gen).gain == doctest::Approx(0.0002));
    CHECK(horizons == std::vector{5.0});  // a third of 9 s, at 1 s a trial
    gen = untouched;
    const auto nothing = schedule::expected_gain(std::vector{ended, lost, empty}, 9, coin{}, gen);
    CHECK(nothing == schedule::outlook{.seconds = 9});
    CHECK(schedule::expected_gain({}, 9, coin{}, gen) == schedule::outlook{.seconds = 9});
    CHECK(gen == untouched);
    CHECK_THROWS_WITH_AS((void)schedule::expected_gain(tasks, 0, coin{}, gen),
                         "tunekit: schedule::expected_gain: seconds is not positive and finite", std::invalid_argument);
}

TEST_CASE("with records: more time promises more, and the interval holds the mean")
{
    const auto a = points({0.004, 0.003, 0.003, 0.002, 0.002, 0.002, 0.0019, 0.0019, 0.0019, 0.0019});
    const std::vector<schedule::task_view> tasks(5, {.flops = 1e6, .curve = a, .seconds = 10});
    philox gen{4}, other{4};
    const auto minute = schedule::expected_gain(tasks, 60, tunekit::curve::improvement_process{}, gen);
    CHECK(minute == schedule::expected_gain(tasks, 60, tunekit::curve::improvement_process{}, other));
    CHECK(0 <= minute.low);
    CHECK(minute.low < minute.gain);
    CHECK(minute.gain < minute.high);
    CHECK(minute.high < 5 * 0.0019);
    CHECK(schedule::expected_gain(tasks, 600, tunekit::curve::improvement_process{}, gen).gain > minute.gain);
}
