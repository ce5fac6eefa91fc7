// SPDX-License-Identifier: MIT
#include "bench/studies/support/fair_systems.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/studies/support/fair_report.hpp"

namespace {

/// Rows of systems, each of which arrives after so many seconds in both repeats, a later repeat twice as late.
programs::fair_table table_of(const std::vector<std::pair<std::string, std::array<double, 2>>>& systems)
{
    programs::fair_table out;
    for (const auto& [name, seconds] : systems)
        for (const bool overlap : {false, true}) {
            const double t = seconds[overlap ? 1 : 0];
            programs::fair_row row{programs::fair_system_of(name), overlap};
            row.own = {{t, t, t}, {2 * t, 2 * t, 2 * t}};
            row.charged = {{t + 1, t + 1, t + 1}, {2 * t + 1, 2 * t + 1, 2 * t + 1}};
            row.oracle = row.own;
            row.excess = {0, 0};
            out.rows.push_back(std::move(row));
        }
    return out;
}

}  // namespace

TEST_CASE("every system of the fair table is a recipe and a schedule that programs know, under a name of its own")
{
    std::set<std::string> names;
    for (const auto& s : programs::fair_systems()) {
        CHECK(names.insert(s.name).second);
        CHECK_NOTHROW((void)programs::find(programs::recipes(), "recipe", s.recipe));
        CHECK_NOTHROW((void)programs::find(programs::schedules(), "schedule", s.schedule));
        CHECK(programs::fair_system_of(s.name).recipe == s.recipe);
    }
    CHECK(programs::fair_systems().front().name == "autotvm-best-form");
}

TEST_CASE("a system is named by the table, or by recipe and schedule, with how often it carries behind")
{
    const auto ours = programs::fair_system_of("random/round-robin");
    CHECK(ours.recipe == "random");
    CHECK(ours.schedule == "round-robin");
    CHECK(ours.one_in == 0);
    CHECK(programs::fair_system_of("random").schedule == "sequential");

    const auto carries = programs::fair_system_of("combined-1-in-2");
    CHECK(carries.name == "combined-1-in-2");
    CHECK(carries.recipe == "combined");
    CHECK(carries.schedule == "dynatune");
    CHECK(carries.one_in == 2);
    CHECK(programs::fair_system_of("autotvm-carried/ansor-1-in-3").schedule == "ansor");
    for (const char* wrong : {"combined-1-in-0", "combined-1-in-two", "combined-1-in-", "nothing-1-in-2"})
        CHECK_THROWS_AS((void)programs::fair_system_of(wrong), std::invalid_argument);
}

TEST_CASE("the parts of a lead multiply to it: schedule, carrying, overlap, limits, and search as the last")
{
    auto t = table_of({{"autotvm-paper", {240, 200}},
                       {"autotvm-dynatune", {120, 110}},
                       {"autotvm-carried-dynatune", {80, 40}},
                       {"autotvm-all-but-search", {60, 10}},
                       {"combined", {30, 5}}});
    const auto p = programs::parts_of_lead(t);
    REQUIRE(p);
    CHECK(p->schedule == doctest::Approx(2));
    CHECK(p->carrying == doctest::Approx(1.5));
    CHECK(p->overlap == doctest::Approx(2));
    CHECK(p->limits == doctest::Approx(4));
    CHECK(p->clock() == doctest::Approx(8));
    CHECK(p->search == doctest::Approx(2));
    CHECK(p->all() == doctest::Approx(240.0 / 5));
    t.rows.pop_back();
    CHECK_FALSE(programs::parts_of_lead(t));
}

TEST_CASE("a lead is told over the better row of a peer, with overlap or without, and over the recipe's own carrying")
{
    const auto t = table_of({{"autotvm-paper", {240, 200}},
                             {"autotvm-carried", {25, 30}},
                             {"combined", {30, 10}},
                             {"combined-1-in-2", {30, 8}}});
    const auto leads = programs::leads_of(t);
    REQUIRE(leads.size() == 3);
    CHECK(leads[0].of->system.name == "combined");
    CHECK(leads[0].over->system.name == "autotvm-paper");
    CHECK(leads[0].over->overlap);
    CHECK(leads[0].ahead.value == doctest::Approx(20));
    CHECK(leads[1].over->system.name == "autotvm-carried");
    CHECK_FALSE(leads[1].over->overlap);
    CHECK(leads[1].ahead.value == doctest::Approx(2.5));
    CHECK(leads[1].ahead.low == doctest::Approx(2.5));  // repeats are drawn in pairs
    CHECK(leads[2].of->system.name == "combined-1-in-2");
    CHECK(leads[2].over->system.name == "combined");
    CHECK(leads[2].ahead.value == doctest::Approx(1.25));
}

TEST_CASE("what is charged is T_q of the courses that are later by the seconds of the search itself")
{
    const programs::latency_course course{{1, 8, 0.5}, {4, 4, 2}};
    const auto later = programs::charged(course);
    CHECK(later[0].seconds == 1.5);
    CHECK(later[1].seconds == 6);
    CHECK(later[1].latency == 4);

    const auto t = table_of({{"autotvm-paper", {240, 200}}, {"combined", {8, 4}}});
    const auto n = programs::numbers_of(t.rows.back(), t.rows.front());
    CHECK(n.tq.value == doctest::Approx(6));
    CHECK(n.charged == doctest::Approx(7));
    CHECK(n.ahead.value == doctest::Approx(60));  // over the table's first row
}

TEST_CASE("a run has the processor seconds of its search beside each step, which only grow")
{
    std::vector<programs::replayed_layer> layers;
    std::vector<tunekit::measure::recorded_row> rows(16);
    std::vector<std::int64_t> values(16);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        values[i] = static_cast<std::int64_t>(i);
        rows[i].result.cost = 1.0 / static_cast<double>(i + 1);
        rows[i].result.runs = 1;
        rows[i].result.batches = {rows[i].result.cost};
        rows[i].seconds = 1;
    }
    layers.push_back({"T", 1, 1, tunekit::space::value_product({{"x", values}}, {}), rows});
    const programs::replay_settings s{.seconds = 100, .runs = 1};
    const auto run = programs::replayed_network(layers, "grid", programs::replayed_by("grid", s, 1), s)
                         .run(programs::one_after_another{{0}}, 0);
    REQUIRE(run.model.size() == 16);
    CHECK(run.model.front().own > 0);
    for (std::size_t i = 1; i < run.model.size(); ++i) CHECK(run.model[i].own >= run.model[i - 1].own);
    CHECK(run.model.back().own < 10);
}

TEST_CASE("the baseline has the best of all its forms on the other networks, measured as the form says")
{
    // Two tasks whose rows cost more to run ten times than once: a form that spares runs, or lets builds overlap, is sooner.
    programs::fair_network on{"made up", {}, 0, 0};
    for (const char* const name : {"A", "B"}) {
        std::vector<tunekit::measure::recorded_row> rows(40);
        std::vector<std::int64_t> values(40);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            values[i] = static_cast<std::int64_t>(i);
            rows[i].result.cost = 1e-3 * static_cast<double>((i * 17) % 40 + 1);
            rows[i].result.runs = 1;
            rows[i].result.batches = {rows[i].result.cost};
            rows[i].result.build_seconds = 0.3;
            rows[i].result.run_seconds = 0.3;
            rows[i].seconds = 0.6;
        }
        on.layers.push_back({name, 1, 1, tunekit::space::value_product({{"x", values}}, {}), rows});
        on.untuned += 0.04;
    }
    on.optimum = programs::optimal_latency(on.layers);
    programs::fair_settings f{.systems = {"random"}, .builders = 1, .repeats = 4, .threads = 1};
    const std::vector<programs::fair_network> others{on};
    const auto t = programs::fair_comparison(on, others, f, [](const programs::fair_row&) {});
    REQUIRE(t.rows.size() == 3);  // the baseline once, the other twice
    CHECK(t.rows.front().system.name == "autotvm-best-form");
    CHECK(t.rows.front().overlap == t.best.overlap);
    CHECK(t.rows.front().system.measured_as == (t.best.spares ? "combined" : ""));
    CHECK(t.best.overlap);
    CHECK_FALSE(t.form[0].overlap);
    CHECK(t.form[1].overlap);
    CHECK_FALSE(t.form[0].spares);
    CHECK_FALSE(t.form[1].spares);
    const auto tq = [&](const programs::baseline_form& form) {
        std::vector<programs::arrivals> runs;
        for (std::size_t r = 0; r < f.repeats; ++r)
            runs.push_back(programs::arrivals_of(
                programs::fair_run_of(on, programs::in_form(form), form, f, form.overlap, r).model, on.optimum));
        return programs::geometric_mean(programs::medians(runs));
    };
    CHECK(tq(t.best) <= tq(t.form[0]));
    CHECK(tq(t.best) <= tq(t.form[1]));
}
