// SPDX-License-Identifier: MIT
#include "bench/studies/support/dynatune_figures.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

TEST_CASE("shares of a network's tasks: of operations, of the seconds of search, and of the latency saved")
{
    // Each trial of A takes 1 s, of B 3 s. All costs are equal in A, so nothing is saved there; in B all but one are.
    std::vector<programs::replayed_layer> layers;
    for (const bool second : {false, true}) {
        std::vector<tunekit::measure::recorded_row> rows(12);
        std::vector<std::int64_t> values(12);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            values[i] = static_cast<std::int64_t>(i);
            rows[i].result.cost = second && i != 5 ? 2.0 : 1.0;
            rows[i].result.runs = 1;
            rows[i].result.batches = {rows[i].result.cost};
            rows[i].seconds = second ? 3 : 1;
            rows[i].result.build_seconds = rows[i].seconds;
        }
        layers.push_back({second ? "B" : "A", second ? 1.0 : 3.0, second ? 2.0 : 1.0,
                          tunekit::space::value_product({{"x", values}}, {}), rows});
    }
    programs::figure_settings s;
    s.repeats = 9;
    s.trials = 12;
    const auto shares = programs::shares_of(s, layers);
    REQUIRE(shares.size() == 2);
    CHECK(shares[0].name == "A");
    CHECK(shares[0].work == doctest::Approx(60));  // 3 x 1 of 3 x 1 + 1 x 2
    CHECK(shares[1].work == doctest::Approx(40));
    CHECK(shares[0].saved == 0);
    CHECK(shares[1].saved == doctest::Approx(100));
    CHECK(shares[0].seconds + shares[1].seconds == doctest::Approx(100));
    CHECK(shares[0].seconds > 0);
    CHECK(shares[1].seconds >
          3 * shares[0].seconds);  // A is there at once, B finds one of twelve, and each takes longer
}

TEST_CASE("a search has no cost before its first valid trial, and that of its incumbent from there on")
{
    // Of eight configurations only the last is valid, so most searches begin with failures.
    std::vector<tunekit::measure::recorded_row> rows(8);
    std::vector<std::int64_t> values(8);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        values[i] = static_cast<std::int64_t>(i);
        rows[i].seconds = 1;
        rows[i].result.build_seconds = 1;
        if (i < 7) {
            rows[i].result.failed = tunekit::measure::failure{.kind = tunekit::measure::failure_kind::build_error};
            continue;
        }
        rows[i].result.cost = 0.5;
        rows[i].result.runs = 1;
        rows[i].result.batches = {0.5};
    }
    const programs::replayed_layer layer{"A", 1, 1, tunekit::space::value_product({{"x", values}}, {}), rows};
    std::size_t late = 0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const auto run = programs::searched(layer, programs::recipe_of("random"), {.trials_per_task = 8}, seed);
        REQUIRE(run.size() == 8);
        CHECK(run.back().latency == 0.5);
        for (std::size_t t = 0; t + 1 < run.size(); ++t) CHECK(run[t].latency >= run[t + 1].latency);
        if (run.front().latency == std::numeric_limits<double>::infinity()) ++late;
    }
    CHECK(late > 0);
}
