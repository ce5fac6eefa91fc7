// SPDX-License-Identifier: MIT
#include "tunekit/scoring/yardstick.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/space/parameter.hpp"
#include "tunekit/space/product.hpp"

namespace tk = tunekit;
using tk::scoring::detail::falling_regression;
using tk::scoring::detail::monotone_cubic;

namespace {

/// One parameter; configuration i has the cost `costs[i]`, or fails where that is 0, and takes `seconds[i]`.
tk::scoring::recording line(const std::vector<double>& costs, const std::vector<double>& seconds)
{
    std::vector<std::int64_t> values(costs.size());
    std::iota(values.begin(), values.end(), 0);
    auto out = tk::scoring::computed("line", tk::space::product(tk::space::parameter<"i">(values)),
                                     [&](tk::index i) { return costs[static_cast<std::size_t>(i)]; });
    for (std::size_t i = 0; i < costs.size(); ++i) out.rows[i].seconds = seconds[i];
    return out;
}

tk::scoring::trajectory run_of(const tk::scoring::recording& on, const std::vector<std::size_t>& order)
{
    tk::scoring::trajectory out;
    double now = 0, best = std::numeric_limits<double>::infinity();
    for (const std::size_t i : order) {
        const auto& row = on.rows[i];
        if (row.result.ok()) best = (std::min)(best, row.result.cost);
        out.seconds.push_back(now += row.seconds);
        out.best.push_back(best);
    }
    return out;
}

}  // namespace

TEST_CASE("random search scores 0 in the mean over all orders, the optimum at once 1")
{
    const auto on = line({3, 0, 1, 2.5, 7, 0}, {1, 1, 1, 1, 1, 1});
    const auto by = tk::scoring::yardstick_of(on, 6);
    std::vector<std::size_t> order{0, 1, 2, 3, 4, 5};
    std::vector<double> logs(6);
    double orders = 0;
    do {
        const auto run = run_of(on, order);
        for (std::size_t k = 0; k < 6; ++k) logs[k] += std::log((std::min)(7.0, run.best[k]));
        ++orders;
    } while (std::next_permutation(order.begin(), order.end()));
    REQUIRE(by.chance.size() == 5);  // after all six, random search is at the optimum too
    for (std::size_t k = 0; k < 5; ++k) CHECK(logs[k] / orders == doctest::Approx(by.chance[k]).epsilon(1e-12));

    const auto short_by = tk::scoring::yardstick_of(on, 4);  // chance and goal differ up to there
    CHECK(short_by.score_by_evaluations(run_of(on, {2})) == doctest::Approx(1));
    CHECK(short_by.score_by_evaluations(run_of(on, {2, 0, 1, 3, 4})) == doctest::Approx(1));
    CHECK(short_by.score_by_evaluations(run_of(on, {4, 1, 5, 0})) < 0);
}

TEST_CASE("what random search needs: of n valid ones g are good enough, (n - g) / (g + 1) come before the first")
{
    std::vector<double> valid(100);
    std::iota(valid.begin(), valid.end(), 1);                      // median 50.5
    CHECK(tk::scoring::evaluations_at_random(valid, 0.05) == 25);  // 3.475: three, 97 / 4
    CHECK(tk::scoring::evaluations_at_random(valid, 0) == 50);     // one: 99 / 2
    CHECK(tk::scoring::evaluations_at_random(valid, 1) == 1);      // fifty: 50 / 51
}

TEST_CASE(
    "a score over time is 1 for the optimum at once, near 0 for random search, and falls when all takes twice as long")
{
    std::vector<double> costs(400), seconds(400);
    auto gen = tk::random::philox(5);
    for (std::size_t i = 0; i < costs.size(); ++i) {
        costs[i] = 1 + 10 * tk::random::uniform_01(gen);
        seconds[i] = 2;
    }
    const auto on = line(costs, seconds);
    const auto by = tk::scoring::yardstick_of(on, 10);
    CHECK(by.seconds == 2 * by.budget);
    CHECK(by.times.back() == doctest::Approx(by.seconds));
    const auto best = static_cast<std::size_t>(std::min_element(costs.begin(), costs.end()) - costs.begin());
    tk::scoring::trajectory at_once = run_of(on, {best});
    at_once.seconds[0] = by.times.front();
    CHECK(by.score_over_time(std::vector{at_once}) == doctest::Approx(1));

    std::vector<tk::scoring::trajectory> by_random, slow;
    std::vector<std::vector<double>> ranks;
    std::vector<std::uint32_t> all;
    for (std::uint32_t r = 0; r < 200; ++r) {
        std::vector<std::size_t> order(costs.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        for (std::size_t k = order.size(); k > 1; --k)
            std::swap(order[k - 1], order[tk::random::uniform_index(k, gen)]);
        by_random.push_back(run_of(on, order));
        ranks.push_back(tk::scoring::detail::ranks_over_time(by, by_random.back()));
        all.push_back(r);
        slow.push_back(by_random.back());
        for (double& s : slow.back().seconds) s *= 2;
    }
    // The baseline takes the value of the expected rank, search the mean of ranks, rounded: they agree but for the steps of time.
    CHECK(std::abs(by.score_over_time(by_random)) < 0.15);
    CHECK(std::abs(tk::scoring::detail::score_by_steps(by, ranks, all) - by.score_over_time(by_random)) < 0.15);
    CHECK(by.score_over_time(slow) < by.score_over_time(by_random) - 0.1);
}

TEST_CASE("monotone cubic: a line stays a line, nodes are met, nothing overshoots")
{
    const std::vector<double> x{0, 1, 3, 4, 8}, at{0, 0.5, 1, 2, 3, 3.5, 4, 6, 8};
    std::vector<double> y;
    for (const double v : x) y.push_back(5 - 2 * v);
    const auto straight = monotone_cubic(x, y, at);
    for (std::size_t i = 0; i < at.size(); ++i) CHECK(straight[i] == doctest::Approx(5 - 2 * at[i]));
    const std::vector<double> steps{9, 9, 2, 1.9, 0};
    const auto falling = monotone_cubic(x, steps, at);
    CHECK(std::is_sorted(falling.rbegin(), falling.rend()));
    CHECK(falling[2] == doctest::Approx(9));
    CHECK(falling[4] == doctest::Approx(2));
    CHECK(falling[6] == doctest::Approx(1.9));
    // By hand: slopes 0 at both nodes of the first piece; -3.5 and -0.1 are the secants around x = 3, their weighted harmonic mean
    // (a + b) / (a / -3.5 + b / -0.1) with a = 2 * 1 + 2, b = 1 + 2 * 2.
    const double slope = 9 / (4 / -3.5 + 5 / -0.1);
    CHECK(falling[3] == doctest::Approx(0.5 * (9 + 2) + 2 * 0.125 * (0 - slope)));
}

TEST_CASE("falling regression pools what rises, and is the nearest falling function")
{
    const std::vector<std::pair<double, double>> points{{0, 3}, {1, 1}, {2, 2}, {4, 0}};
    const auto fit = falling_regression(points, std::vector<double>{-1, 0, 0.5, 1, 2, 3, 4, 9});
    const std::vector<double> expected{3, 3, 2.25, 1.5, 1.5, 0.75, 0, 0};
    for (std::size_t i = 0; i < fit.size(); ++i) CHECK(fit[i] == doctest::Approx(expected[i]));

    // Against all falling functions over a grid of values.
    auto gen = tk::random::philox(11);
    for (int round = 0; round < 50; ++round) {
        std::vector<std::pair<double, double>> some;
        std::vector<double> at;
        for (int i = 0; i < 5; ++i) {
            some.emplace_back(i, static_cast<double>(tk::random::uniform_index(5, gen)));
            at.push_back(i);
        }
        const auto error = [&](const std::vector<double>& f) {
            double sum = 0;
            for (std::size_t i = 0; i < f.size(); ++i) sum += (f[i] - some[i].second) * (f[i] - some[i].second);
            return sum;
        };
        const auto found = falling_regression(some, at);
        CHECK(std::is_sorted(found.rbegin(), found.rend()));
        double least = 1e9;
        std::vector<double> f(5);
        for (f[0] = 4; f[0] >= 0; f[0] -= 0.5)
            for (f[1] = f[0]; f[1] >= 0; f[1] -= 0.5)
                for (f[2] = f[1]; f[2] >= 0; f[2] -= 0.5)
                    for (f[3] = f[2]; f[3] >= 0; f[3] -= 0.5)
                        for (f[4] = f[3]; f[4] >= 0; f[4] -= 0.5) least = (std::min)(least, error(f));
        CHECK(error(found) <= least + 1e-12);
    }
}

TEST_CASE("what cannot be scored is refused: nothing that ran, and nothing to choose between")
{
    CHECK_THROWS_WITH_AS((void)tk::scoring::yardstick_of(line({0, 0}, {1, 1}), 5),
                         "tunekit: yardstick_of: \"line\": no configuration ran, want at least two that differ",
                         std::invalid_argument);
    CHECK_THROWS_AS((void)tk::scoring::yardstick_of(line({2, 2, 0}, {1, 1, 1}), 5), std::invalid_argument);
    // A space smaller than what is judged is judged to its last but one configuration: then random search is there too.
    const auto by = tk::scoring::yardstick_of(line({1, 2, 3}, {1, 1, 1}), 200);
    CHECK(by.chance.size() == 2);
    CHECK(by.chance[0] == doctest::Approx((std::log(2) + std::log(3)) / 3));
    CHECK(by.chance[1] == doctest::Approx(std::log(2) / 3));
}

TEST_CASE(
    "a space smaller than what is judged has scores, also with several optima, failures, and all but one of them "
    "optima")
{
    std::vector<double> costs(200, 1);
    for (std::size_t good = 1; good < 200; good += 33) {
        CAPTURE(good);
        for (std::size_t i = 0; i < 200; ++i)
            costs[i] = i < good ? 1 : i % 7 == 0 ? 0 : 2 + static_cast<double>(i % 50);
        costs[199] = 9;
        const auto on = line(costs, std::vector<double>(200, 1));
        const auto by = tk::scoring::yardstick_of(on, 200);
        REQUIRE_FALSE(by.chance.empty());
        CHECK(by.chance.size() <= 200 - good);
        CHECK(by.score_by_evaluations(run_of(on, {0})) == doctest::Approx(1));
        std::vector<std::size_t> order(200);
        std::iota(order.rbegin(), order.rend(), 0U);
        const double late = by.score_by_evaluations(run_of(on, order));
        CHECK(late < 1);  // and is a number
    }
}
