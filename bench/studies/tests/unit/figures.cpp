// SPDX-License-Identifier: MIT
#include "bench/studies/support/dynatune_figures.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
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
