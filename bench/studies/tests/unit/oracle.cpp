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
