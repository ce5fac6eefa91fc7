// SPDX-License-Identifier: MIT
#include "bench/studies/support/to_optimum.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("T_q counts from when a model stays within q of the optimum: a step back is not forgiven")
{
    // Optimum 100: 5 % is reached at 10 s and kept; 2 % at 20 s, lost at 30 s and reached again at 40 s; 1 % only at 50 s.
    const programs::latency_course course{{1, 150}, {10, 104}, {20, 101.5}, {30, 103}, {40, 101.8}, {50, 100.9}};
    CHECK(programs::arrivals_of(course, 100) == programs::arrivals{50, 40, 10});
    CHECK(programs::arrivals_of({{1, 150}, {10, 104}}, 100) == programs::arrivals{never, never, 10});
    CHECK(programs::arrivals_of({}, 100) == programs::arrivals{never, never, never});
    CHECK(programs::arrivals_of({{3, 101}}, 100) == programs::arrivals{3, 3, 3});  // within is at most
}

TEST_CASE("T_q of a system: medians by q, their geometric mean, and the horizon for a run that never arrives")
{
    const std::vector<programs::arrivals> runs{{8, 4, 2}, {16, 4, 1}, {never, 4, 4}};
    CHECK(programs::medians(runs) == programs::arrivals{16, 4, 2});
    const auto t = programs::tq_of(runs);
    CHECK(t.value == doctest::Approx(std::cbrt(16.0 * 4 * 2)));
    CHECK(t.low == doctest::Approx(std::cbrt(8.0 * 4 * 2)));  // a resample has one set of repeats for all three q
    CHECK(t.high == doctest::Approx(std::cbrt(600.0 * 4 * 4)));
    CHECK(programs::arrived(runs) == 2);
    CHECK_FALSE(programs::is_bound(runs));
    const std::vector<programs::arrivals> late{{never, 4, 2}, {never, never, 2}, {9, 5, 3}};
    CHECK(programs::medians(late) == programs::arrivals{600, 5, 2});
    CHECK(programs::arrived(late) == 1);
    CHECK(programs::is_bound(late));
    CHECK_FALSE(programs::is_bound(std::vector<programs::arrivals>{{never, 1, 1}, {1, 1, 1}}));  // half is enough
}

TEST_CASE("runs that are all alike have an interval of no length, and a ratio draws its repeats in pairs")
{
    const std::vector<programs::arrivals> same(15, {27, 8, 1});
    const auto t = programs::tq_of(same);
    CHECK(t.value == doctest::Approx(6));
    CHECK(t.low == t.value);
    CHECK(t.high == t.value);

    // Every repeat is three times as slow as its pair, whatever the repeats are like.
    std::vector<programs::arrivals> slow, fast;
    for (int r = 1; r <= 15; ++r) {
        fast.push_back({4.0 * r, 2.0 * r, 1.0 * r});
        slow.push_back({12.0 * r, 6.0 * r, 3.0 * r});
    }
    const auto ahead = programs::tq_ratio(slow, fast);
    CHECK(ahead.value == doctest::Approx(3));
    CHECK(ahead.low == doctest::Approx(3));
    CHECK(ahead.high == doctest::Approx(3));
    CHECK(programs::tq_of(fast).low < programs::tq_of(fast).high);
}

TEST_CASE("excess seconds: the untuned model counts until a run has a better one")
{
    // Optimum 10, untuned 15: 4 s at +50 %, 6 s at +20 %, then 290 s at +1 %. The first model is worse than the untuned one.
    const programs::latency_course course{{2, 40}, {4, 12}, {10, 10.1}};
    CHECK(programs::excess_of(course, 15, 10) == doctest::Approx(4 * 0.5 + 6 * 0.2 + 290 * 0.01));
    CHECK(programs::excess_of({}, 15, 10) == doctest::Approx(150));
    CHECK(programs::excess_of({{400, 10}}, 15, 10) == doctest::Approx(150));
}

TEST_CASE("the oracle of a run uses the run's own trials, and is never later than the run")
{
    // Optimum 1 + 1. Task 0 comes to its optimum in 1 s, then wastes 6 s; task 1 needs 2 + 1 s.
    programs::replayed_run run{{{3, 5}, {9, 3}, {10, 2}}, std::vector<programs::latency_course>(2), {}};
    run.trials = {{0, 1, 1}, {1, 2, 4}, {0, 6, 1}, {1, 1, 1}};
    const auto own = programs::arrivals_of(run.model, 2);
    CHECK(own == programs::arrivals{10, 10, 10});
    for (const double t : programs::oracle_of(run, own, 2)) CHECK(t == doctest::Approx(4));

    run.trials = {{0, 0.001, 1}, {1, 0.001, 1}};  // two slots of 0.02 s would be later than the run itself
    run.model = {{0.002, 2}};
    for (const double t : programs::oracle_of(run, programs::arrivals_of(run.model, 2), 2)) CHECK(t == 0.002);
}
