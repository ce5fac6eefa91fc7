// SPDX-License-Identifier: MIT
#include "bench/studies/support/oracle.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace tk = tunekit;

TEST_CASE("the area-optimal order beats every other: all orders of 300 random triples of curves")
{
    tk::random::philox gen(5);
    for (int repeat = 0; repeat < 300; ++repeat) {
        std::vector<programs::slot_curve> curves(3);
        std::vector<std::size_t> all;
        for (std::size_t k = 0; k < 3; ++k) {
            double latency = 10;
            curves[k].push_back(latency);
            const std::size_t slots = 1 + tk::random::uniform_index(3, gen);
            for (std::size_t i = 0; i < slots; ++i) {
                latency -= static_cast<double>(tk::random::uniform_index(4, gen)) *
                           (tk::random::uniform_01(gen) < 0.5 ? 0 : 1);
                curves[k].push_back(latency);
                all.push_back(k);
            }
        }
        double least = std::numeric_limits<double>::infinity();
        do least = (std::min)(least, programs::latency_area(curves, all));
        while (std::next_permutation(all.begin(), all.end()));
        const auto optimal = programs::area_optimal_order(curves);
        const auto myopic = programs::myopic_order(curves);
        CHECK(optimal.size() == all.size());
        CHECK(myopic.size() == all.size());
        CHECK(programs::latency_area(curves, optimal) == doctest::Approx(least));
        CHECK(programs::latency_area(curves, myopic) >= least - 1e-12);
    }
}

TEST_CASE("a plateau before a fall misleads the myopic oracle, not the area-optimal one")
{
    const std::vector<programs::slot_curve> curves{{10, 10, 2}, {10, 9.5, 9, 8.5}};
    CHECK(programs::myopic_order(curves) == std::vector<std::size_t>{1, 1, 1, 0, 0});
    CHECK(programs::area_optimal_order(curves) == std::vector<std::size_t>{0, 0, 1, 1, 1});
}

namespace {

/// The least of all choices of a beginning of each curve, one by one.
double by_force(const std::vector<programs::task_curve>& curves, std::size_t k, double seconds, double latency,
                double goal)
{
    if (k == curves.size()) return latency <= goal ? seconds : std::numeric_limits<double>::infinity();
    double least = std::numeric_limits<double>::infinity();
    for (const auto& step : curves[k])
        least = (std::min)(least, by_force(curves, k + 1, seconds + step.seconds, latency + step.latency, goal));
    return least;
}

}  // namespace

TEST_CASE("the exact oracle is the least over all choices: 300 random sets of four curves on whole slots")
{
    tk::random::philox gen(7);
    std::size_t reached = 0;
    for (int repeat = 0; repeat < 300; ++repeat) {
        std::vector<programs::task_curve> curves(4);
        for (auto& curve : curves) {
            double slots = 0;
            const std::size_t steps = 1 + tk::random::uniform_index(5, gen);
            for (std::size_t i = 0; i < steps; ++i) {
                slots += static_cast<double>(1 + tk::random::uniform_index(9, gen));
                // A noisy winner may be a step back: latencies need not fall.
                curve.push_back({0.25 * slots, static_cast<double>(1 + tk::random::uniform_index(12, gen))});
            }
        }
        const auto goal = static_cast<double>(6 + tk::random::uniform_index(20, gen));
        const double want = by_force(curves, 0, 0, 0, goal);
        CHECK(programs::least_seconds(curves, goal, 50, 0.25) == want);
        if (want < std::numeric_limits<double>::infinity()) {
            ++reached;
            CHECK(programs::least_seconds(curves, goal, want - 0.25, 0.25) == std::numeric_limits<double>::infinity());
        }
    }
    CHECK(reached > 100);
    CHECK(reached < 300);
}

TEST_CASE("the exact oracle takes whole slots, up, and needs a step of every task")
{
    CHECK(programs::least_seconds(std::vector<programs::task_curve>{{{0.05, 1}}, {{0.021, 1}}}, 2, 10) ==
          doctest::Approx(0.06 + 0.04));
    CHECK(programs::least_seconds(std::vector<programs::task_curve>{{{0.06, 1}}}, 1, 10) == doctest::Approx(0.06));
    CHECK(programs::least_seconds(std::vector<programs::task_curve>{{{1, 1}}, {}}, 5, 10) ==
          std::numeric_limits<double>::infinity());
}

TEST_CASE(
    "regret counts what the best next slot would have saved: none for the greedy order, and it forgives a plateau")
{
    const std::vector<programs::slot_curve> curves{{10, 10, 2}, {10, 9.5, 9, 8.5}};
    CHECK(programs::cumulative_regret(curves, programs::myopic_order(curves)) == 0);
    // 0: best 0.5, saved 0. 0: best 8, saved 8. Then 0.5 each, by the only task left. Slots after a curve's end save nothing.
    CHECK(programs::cumulative_regret(curves, std::vector<std::size_t>{0, 0, 1, 1, 1, 1}) == doctest::Approx(0.5));
    CHECK(programs::cumulative_regret(curves, std::vector<std::size_t>{0, 1, 1}) == doctest::Approx(0.5 + 7.5 + 7.5));
    CHECK(programs::latency_area(curves, programs::area_optimal_order(curves)) <
          programs::latency_area(curves, programs::myopic_order(curves)));
}

TEST_CASE("the shortest way is not that of the least area")
{
    // To a latency of 10: the second curve alone comes there in one slot; the order of least area begins with the first.
    const std::vector<programs::slot_curve> curves{{10, 4, 4}, {10, 5, 5}};
    CHECK(programs::area_optimal_order(curves).front() == 0);
    CHECK(programs::least_seconds(std::vector<programs::task_curve>{{{0, 10}, {2, 4}}, {{0, 10}, {1, 5}}}, 15, 10, 1) ==
          1);
}

TEST_CASE("a script is followed past tasks that ended, then the first active task goes on")
{
    const programs::scripted s{{1, 0, 1, 7}};
    std::vector<tk::schedule::task_view> tasks(2);
    tk::random::philox gen(1);
    auto state = s.start(tasks, {});
    CHECK(s.select(state, tasks, gen) == 1);
    tasks[0].active = false;
    CHECK(s.select(state, tasks, gen) == 1);
    CHECK(s.select(state, tasks, gen) == 1);
}
