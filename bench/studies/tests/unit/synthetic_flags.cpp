// SPDX-License-Identifier: MIT
#include "bench/studies/support/synthetic_flags.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>

#include "bench/studies/support/technique_bandit.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/search/hill_climb.hpp"
#include "tunekit/space/any_space.hpp"

namespace tk = tunekit;

namespace {

double lowest(const programs::synthetic_flags& on)
{
    double out = std::numeric_limits<double>::infinity();
    for (tk::index i = 0; i < on.space().size(); ++i) out = (std::min)(out, on.log_cost(i));
    return out;
}

}  // namespace

TEST_CASE("synthetic_flags: the optimum by dynamic programming is that of all configurations")
{
    for (const programs::flag_family& of :
         {programs::flag_family{.name = "a", .switches = 9, .width = 1},
          programs::flag_family{.name = "b", .switches = 10, .width = 2},
          programs::flag_family{.name = "c", .switches = 9, .width = 3, .interaction = 3},
          programs::flag_family{.name = "d", .switches = 4, .levels = 3, .width = 2},
          programs::flag_family{.name = "e", .switches = 4, .levels = 2, .width = 3},
          programs::flag_family{.name = "f", .switches = 10, .width = 2, .conflicts = 2, .traps = 2},
          programs::flag_family{.name = "g", .switches = 1, .width = 3}})
        for (std::uint64_t k = 0; k < 5; ++k) {
            CAPTURE(of.name);
            const programs::synthetic_flags on(of, k);
            CHECK(on.optimum() == doctest::Approx(lowest(on)).epsilon(1e-12));
            CHECK(on.median() >= on.optimum());
        }
}

TEST_CASE("synthetic_flags: conflicts are not in the space, traps are and fail, noise is that of measurements alone")
{
    const programs::synthetic_flags on(
        {.name = "f", .switches = 10, .width = 2, .conflicts = 2, .traps = 1, .noise = 0.1}, 3);
    CHECK(on.space().size() == 3 * 3 * 64);
    std::size_t failed = 0;
    tk::random::philox gen(1);
    for (tk::index i = 0; i < on.space().size(); ++i) {
        const auto m = on.measured(i, gen);
        if (m.failed) ++failed;
        CHECK(m.ok() == std::isfinite(on.log_cost(i)));
        if (m.ok()) CHECK(std::abs(std::log(m.cost) - on.log_cost(i)) < 0.6);  // six standard deviations
    }
    CHECK(failed == 3 * 3 * 16);
}

TEST_CASE("synthetic_flags: the families of the bench have 2^40 configurations and more")
{
    for (const auto& of : programs::flag_families()) {
        CAPTURE(of.name);
        CHECK(programs::synthetic_flags(of, 1).space().size() >= tk::index{1} << 40);
    }
}

TEST_CASE("technique_bandit: it proposes every configuration of a small space once and finds the optimum")
{
    const programs::synthetic_flags on({.name = "d", .switches = 5, .levels = 1, .width = 2, .conflicts = 1}, 2);
    const tk::space::any_space space(on.space());
    const programs::technique_bandit search{
        {programs::differential_evolution{.population = 6}, programs::greedy_mutation{}, tk::search::hill_climb{}}};
    tk::random::philox gen(5);
    auto state = search.start(space);
    std::set<tk::index> seen;
    double best = std::numeric_limits<double>::infinity();
    for (;;) {
        const auto batch = search.propose(state, space, 3, gen);
        if (batch.empty()) break;
        std::vector<tk::measure::measurement> measured;
        for (const tk::index i : batch) {
            CHECK(i < space.size());
            CHECK(seen.insert(i).second);
            measured.push_back(on.measured(i, gen));
            best = (std::min)(best, std::log(measured.back().cost));
        }
        search.observe(state, space, batch, measured, gen);
    }
    CHECK(seen.size() == space.size());
    CHECK(best == doctest::Approx(on.optimum()).epsilon(1e-12));
}
