// SPDX-License-Identifier: MIT
#include "bench/studies/support/fair_baselines.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <vector>

#include "tunekit/random/philox.hpp"

namespace tk = tunekit;

namespace {

tk::measure::recorded_row row_of(double build, double run)
{
    tk::measure::recorded_row out;
    out.result.cost = run;
    out.result.runs = 1;
    out.result.batches = {run};
    out.result.build_seconds = build;
    out.result.run_seconds = run;
    out.seconds = build + run;
    return out;
}

}  // namespace

TEST_CASE("builds of a batch go to the first builder that is free, runs follow one another")
{
    // Builds of 3, 1, 1, 2 s and runs of 1 s each: one builder 7 s, two 3 | 1 + 1 + 2 = 4 s, eight 3 s.
    const std::vector<tk::measure::recorded_row> table{row_of(3, 1), row_of(1, 1), row_of(1, 1), row_of(2, 1)};
    const std::vector<tk::index> all{0, 1, 2, 3};
    const auto seconds = [&](std::size_t builders) {
        double now = 0;
        programs::detail::built_side_by_side measure(table, tk::measure::virtual_clock(now), tk::measure::fixed{1, 1},
                                                     1, builders);
        const auto found = measure.measure(all, {});
        REQUIRE(found.size() == 4);
        for (const auto& m : found) CHECK(m.cost == 1);
        return now;
    };
    CHECK(seconds(1) == 11);
    CHECK(seconds(2) == 8);
    CHECK(seconds(8) == 7);

    double now = 0;
    tk::measure::noisy_replay plain(table, tk::measure::virtual_clock(now), tk::measure::fixed{1, 1}, 1);
    CHECK(plain.measure(all, {}).size() == 4);
    CHECK(now == seconds(1));
}

TEST_CASE("one task after another: what a task leaves of its share goes to the later ones")
{
    // Three tasks in the order 2, 0, 1 in 90 s: 30 s for the first; it stops after 10 s, so 40 s for each of the others.
    std::vector<tk::schedule::task_view> tasks(3);
    for (auto& t : tasks) t.active = true;
    const programs::one_after_another how{{2, 0, 1}, 90};
    tk::random::philox gen(1);
    programs::one_after_another::state s;
    CHECK(how.select(s, tasks, gen) == 2);
    tasks[2].seconds = 10;
    CHECK(how.select(s, tasks, gen) == 2);
    tasks[2].active = false;
    CHECK(how.select(s, tasks, gen) == 0);
    tasks[0].seconds = 39;
    CHECK(how.select(s, tasks, gen) == 0);
    tasks[0].seconds = 40;
    CHECK(how.select(s, tasks, gen) == 1);
    tasks[1].seconds = 40;
    CHECK(how.select(s, tasks, gen) == 0);  // all had theirs: the first that goes on
    tasks[0].active = false;
    CHECK(how.select(s, tasks, gen) == 1);
}

TEST_CASE("tasks by work: operations times how often they occur, largest first, ties as declared")
{
    std::vector<programs::replayed_layer> layers;
    for (const auto& [flops, weight] : {std::pair{1.0, 1.0}, {5.0, 1.0}, {2.0, 3.0}, {5.0, 1.0}})
        layers.push_back({"", flops, weight, tk::space::dynamic_product({{"x", {0}}}, {}), {}});
    CHECK(programs::detail::order_of(layers, true) == std::vector<std::size_t>{2, 1, 3, 0});
    CHECK(programs::detail::order_of(layers, false) == std::vector<std::size_t>{0, 1, 2, 3});
}

TEST_CASE("the least favourable baseline is the one of the least median")
{
    std::vector<programs::fair_row> rows(3);
    rows[0].against = {{"a", {3, 2, 4, 0.95}}, {"b", {1, 1, 1, 0.95}}};
    rows[1].against = {{"a", {2, 1, 5, 0.95}}, {"b", {4, 1, 5, 0.95}}};
    rows[2].against = {{"b", {2, 1, 5, 0.95}}};
    CHECK(programs::least_favourable(rows, "a") == &rows[1]);
    CHECK(programs::least_favourable(rows, "b") == &rows[0]);
    CHECK(programs::least_favourable(rows, "c") == nullptr);
}
