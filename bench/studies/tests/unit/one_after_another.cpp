// SPDX-License-Identifier: MIT
#include "bench/studies/support/one_after_another.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <utility>
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

TEST_CASE("with overlap a run takes the longer of its builds and its runs, and the model has the same courses")
{
    // 16 configurations of 1 s to build and 1 s to run. One builder: alone 16 (1 + 1) s, with overlap 1 + 16 s. Four
    // builders, asked for four at a time: alone 4 (1 + 4) s, with overlap still 1 + 16 s, for one worker runs all.
    std::vector<std::int64_t> values(16);
    std::vector<programs::replayed_layer> layers;
    std::vector<tk::measure::recorded_row> rows;
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<std::int64_t>(i);
        rows.push_back(row_of(1, 1));
    }
    layers.push_back({"T", 1, 1, tk::space::value_product({{"x", values}}, {}), rows});
    const auto ends = [&](std::size_t builders, bool overlap) {
        const programs::replay_settings s{.seconds = 100, .runs = 1, .builders = builders, .overlap = overlap};
        auto how = programs::replayed_by("grid", s, 1);
        how.recipe.ahead = builders;
        const auto run = programs::replayed_network(layers, "grid", how, s).run(programs::one_after_another{{0}}, 0);
        REQUIRE(run.trials.size() == 16);
        REQUIRE(run.model.size() == 1);
        double all = 0;
        for (const auto& t : run.trials) all += t.seconds;
        return std::pair{run.model.front().seconds, all};
    };
    CHECK(ends(1, false) == std::pair{2.0, 32.0});
    CHECK(ends(1, true) == std::pair{2.0, 17.0});
    CHECK(ends(4, false) == std::pair{5.0, 20.0});
    CHECK(ends(4, true) == std::pair{2.0, 17.0});
}

TEST_CASE("one task after another: what a task leaves of its share goes to the later ones")
{
    // Three tasks in the order 2, 0, 1 in 90 s: 30 s for the first; it stops after 10 s, so 40 s for each of the others.
    std::vector<tk::schedule::task_view> tasks(3);
    for (auto& t : tasks) t.active = true;
    const programs::one_after_another how{{2, 0, 1}};
    tk::random::philox gen(1);
    auto s = how.start(tasks, {.seconds = 90});
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

TEST_CASE("one task after another: the seconds of a run with nine workers are those of all nine")
{
    std::vector<tk::schedule::task_view> tasks(2);
    const programs::one_after_another how{{0, 1}};
    tk::random::philox gen(1);
    auto s = how.start(tasks, {.seconds = 10, .workers = 9});
    CHECK(how.select(s, tasks, gen) == 0);
    tasks[0].seconds = 44;
    CHECK(how.select(s, tasks, gen) == 0);
    tasks[0].seconds = 45;
    CHECK(how.select(s, tasks, gen) == 1);
}

TEST_CASE("tasks by work: operations times how often they occur, largest first, ties as declared")
{
    std::vector<programs::replayed_layer> layers;
    for (const auto& [flops, weight] : {std::pair{1.0, 1.0}, {5.0, 1.0}, {2.0, 3.0}, {5.0, 1.0}})
        layers.push_back({"", flops, weight, tk::space::value_product({{"x", {0}}}, {}), {}});
    CHECK(programs::order_of(layers, true) == std::vector<std::size_t>{2, 1, 3, 0});
    CHECK(programs::order_of(layers, false) == std::vector<std::size_t>{0, 1, 2, 3});
}

TEST_CASE("the best form of the baseline has the least product of T_q over the other networks")
{
    CHECK(programs::best_form(std::vector<std::vector<double>>{{10, 90}, {30, 20}, {100, 7}}) == 1);  // 900, 600, 700
    CHECK(programs::best_form(std::vector<std::vector<double>>{{4, 5}, {5, 4}}) == 0);
    const auto forms = programs::baseline_forms();
    CHECK(forms.size() == 64);
    for (std::size_t a = 0; a < forms.size(); ++a)
        for (std::size_t b = 0; b < a; ++b) CHECK_FALSE(forms[a] == forms[b]);
}
