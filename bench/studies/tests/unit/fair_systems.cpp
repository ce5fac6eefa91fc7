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
    CHECK(programs::fair_systems().front().name == "autotvm-paper");
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

TEST_CASE("the parts of a lead multiply to it: schedule, search, limits, overlap, carrying")
{
    auto t = table_of({{"autotvm-paper", {240, 200}},
                       {"autotvm-dynatune", {120, 110}},
                       {"combined-ten-runs", {80, 70}},
                       {"combined-alone", {40, 10}},
                       {"combined", {30, 5}}});
    const auto p = programs::parts_of_lead(t);
    REQUIRE(p);
    CHECK(p->schedule == doctest::Approx(2));
    CHECK(p->search == doctest::Approx(1.5));
    CHECK(p->limits == doctest::Approx(2));
    CHECK(p->overlap == doctest::Approx(4));
    CHECK(p->clock() == doctest::Approx(8));
    CHECK(p->carrying == doctest::Approx(2));
    CHECK(p->all() == doctest::Approx(240.0 / 5));
    t.rows.pop_back();
    CHECK_FALSE(programs::parts_of_lead(t));
}

TEST_CASE("a lead is told over what carries alike, and over the same system that carries as its recipe does")
{
    const auto t = table_of({{"autotvm-paper", {240, 200}},
                             {"autotvm-carried", {60, 30}},
                             {"combined", {30, 10}},
                             {"combined-1-in-2", {30, 8}}});
    const auto leads = programs::leads_of(t);
    REQUIRE(leads.size() == 2);
    CHECK(leads[0].of->system.name == "combined");
    CHECK(leads[0].over->system.name == "autotvm-carried");
    CHECK(leads[0].ahead.value == doctest::Approx(3));
    CHECK(leads[0].ahead.low == doctest::Approx(3));  // repeats are drawn in pairs
    CHECK(leads[1].of->system.name == "combined-1-in-2");
    CHECK(leads[1].over->system.name == "combined");
    CHECK(leads[1].ahead.value == doctest::Approx(1.25));
}
