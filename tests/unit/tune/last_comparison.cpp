// SPDX-License-Identifier: MIT
#include "tunekit/tune/last_comparison.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace tk = tunekit;
namespace measure = tk::measure;

namespace {

/// Configuration i takes seconds[i], times a drift that all of a round share; one of 0 seconds fails.
struct drifting {
    std::vector<double> seconds;
    int round = 0;

    std::vector<measure::measurement> measure(std::span<const tk::index> batch, const measure::limits&)
    {
        const double drift = 1 + 0.5 * (++round % 5);
        std::vector<measure::measurement> out;
        for (const tk::index i : batch) {
            auto& m = out.emplace_back();
            m.cost = seconds[i] * drift;
            if (!(seconds[i] > 0)) m.failed = measure::failure{measure::failure_kind::crash, 11, "gone"};
        }
        return out;
    }
};

measure::trial trial_of(tk::index i, double cost, double run_seconds, std::uint32_t runs)
{
    measure::trial t{.candidate = i};
    t.measured.cost = cost;
    t.measured.run_seconds = run_seconds;
    t.measured.runs = runs;
    return t;
}

/// Trials of 0 to 3, of which 1 is the fastest and 3 failed.
tk::tuning recorded()
{
    tk::tuning out;
    out.append(trial_of(0, 2.0, 6, 3), 6);
    out.append(trial_of(1, 1.0, 4, 4), 4);
    out.append(trial_of(2, 1.1, 2, 2), 2);
    measure::trial failed{.candidate = 3};
    failed.measured.failed = measure::failure{measure::failure_kind::crash, 11, "gone"};
    out.append(failed, 1);
    return out;
}

}  // namespace

TEST_CASE("line_up: the best trials and the default, once")
{
    CHECK(tk::line_up(recorded(), 2, 0) == std::vector<tk::index>{1, 2, 0});
    CHECK(tk::line_up(recorded(), 2, 2) == std::vector<tk::index>{1, 2});
    CHECK(tk::line_up({}, 2, 7) == std::vector<tk::index>{7});
}

TEST_CASE("round_seconds: what was measured, and for the rest the longest")
{
    const std::vector<tk::index> all{1, 2, 0}, with_failed{1, 3};
    CHECK(tk::round_seconds(recorded(), all) == doctest::Approx(4 + 2 + 6));
    CHECK(tk::round_seconds(recorded(), all, true) == doctest::Approx(1 + 1 + 2));
    CHECK(tk::round_seconds(recorded(), with_failed) == doctest::Approx(4 + 4));
    CHECK(tk::round_seconds({}, with_failed) == doctest::Approx(2e-3));
    tk::tuning known;
    known.know({.candidate = 5, .measured = {.cost = 0.5}});
    CHECK(tk::line_up(known, 2, 0) == std::vector<tk::index>{5, 0});
    CHECK(tk::round_seconds(known, std::vector<tk::index>{5, 0}) == doctest::Approx(0.5 + 0.5));
}

TEST_CASE("compare_finalists: the fastest of those that the race keeps, and the default's cost in common rounds")
{
    drifting fresh{{3.0, 1.005, 1.0, 0}};
    const std::vector<tk::index> all{1, 2, 0};
    const auto found = tk::compare_finalists(fresh, all, 0, {}, {.max_rounds = 30});
    CHECK(found.best == 2);  // within the margin of 1, which is the race's winner
    CHECK(found.race.winner == 1);
    CHECK(found.race.tied == std::vector<tk::index>{1, 2});
    CHECK(found.cost == doctest::Approx(found.race.cost / 1.005));
    CHECK(found.untuned_cost == doctest::Approx(found.race.cost * 3 / 1.005));  // although it ran in fewer rounds
    CHECK(found.race.standings[2].costs.size() < found.race.rounds);
}

TEST_CASE("compare_finalists: what fails has no cost, and where all fail there is no best")
{
    drifting fresh{{0, 1.0, 0, 0}};
    const auto found = tk::compare_finalists(fresh, std::vector<tk::index>{1, 0}, 0, {}, {.max_rounds = 3});
    CHECK(found.best == 1);
    CHECK(std::isinf(found.untuned_cost));
    const auto none = tk::compare_finalists(fresh, std::vector<tk::index>{2, 0}, 0, {}, {.max_rounds = 3});
    CHECK_FALSE(none.best.has_value());
    CHECK(std::isinf(none.cost));
}

TEST_CASE("compare_finalists of a plan: every task has at least one round, also without time")
{
    tk::plan plan;
    plan.tasks.resize(2);
    plan.tasks[0].record = recorded();  // nothing was measured of the second
    const std::vector<tk::index> untuned{0, 1};
    const auto ends =
        tk::compare_finalists([](std::size_t) { return drifting{{3.0, 1.0, 1.5}}; }, plan, untuned, 0, {});
    REQUIRE(ends.size() == 2);
    CHECK(ends[0].race.rounds >= 1);
    CHECK(ends[0].race.standings.size() == 3);
    CHECK(ends[1].best == 1);
    CHECK(ends[1].untuned_cost == doctest::Approx(1.5));
}

TEST_CASE("comparison_reserve: two rounds of every task, and at most 0.3 of the seconds")
{
    tk::plan plan;
    plan.tasks.resize(2);
    tk::comparison_reserve reserve(100, {0, 0});
    plan.seconds = 95;
    plan.tasks[0].record = recorded();     // a round of 12 s
    CHECK_FALSE(reserve.needed(plan, 0));  // the other task has nothing to compare yet
    plan.tasks[1].record.append(trial_of(0, 1, 1, 1), 1);
    plan.seconds = 73;
    CHECK_FALSE(reserve.needed(plan, 1));  // 73 + 2 * (12 + 1) < 100
    plan.seconds = 74;
    CHECK(reserve.needed(plan, 1));
    tk::comparison_reserve brief(50, {0, 0});
    plan.seconds = 34;
    (void)brief.needed(plan, 0);
    CHECK_FALSE(brief.needed(plan, 1));  // 26 is more than 0.3 of 50
    plan.seconds = 35;
    CHECK(brief.needed(plan, 1));
}
