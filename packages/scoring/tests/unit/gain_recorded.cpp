// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cstddef>
#include <span>

#include "tunekit/formats/read_recorded_space.hpp"
#include "tunekit/formats/replay_table.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/replay.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/space/any_space.hpp"
#include "tunekit/tune/gain_rate.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;

TEST_CASE(
    "a recorded space: tune ends at the first trial from which on tuning is not expected to pay, and so saves time")
{
    const auto recorded = tk::io::read_recorded_space("packages/scoring/recordings/gemm_Out");
    const tk::space::any_space space = tk::io::space_of(recorded);
    const auto table = tk::io::table_of(recorded, space);
    const auto run = [&](const tk::budget& limit) {
        double now = 0;
        tk::measure::replay measurer(table.rows, tk::measure::virtual_clock(now));
        tk::random::philox gen(3);
        return tk::tune(space, measurer, tk::recipe{tk::search::annealing{}, tk::measure::fixed{}, {}, 1}, limit, gen,
                        {.clock = [&] { return now; }});
    };
    const auto whole = run({.trials = 1000});
    REQUIRE(whole.trials().size() == 1000);
    std::size_t last = 0, inside = 0;
    for (const double worth : {1.0, 10.0, 100.0, 1000.0}) {  // the calls take so many times as long as 10 trials
        const double calls = worth * whole.curve()[9].seconds / whole.best_cost();
        const auto found = run({.trials = 1000, .stop_when_gain_below = 1, .calls = calls});
        const auto& curve = found.curve();
        const std::size_t n = curve.size();
        CHECK(n >= last);
        last = n;
        if (n == 1000) continue;
        ++inside;
        CHECK(found.stopped() == tk::stop_reason::gain);
        for (std::size_t k = 8; k < n; ++k) CHECK(tk::gain_rate(std::span(curve).first(k), calls) >= 1);
        CHECK(tk::gain_rate(curve, calls) < 1);
        CHECK(found.seconds() + calls * found.best_cost() < whole.seconds() + calls * whole.best_cost());
    }
    CHECK(inside >= 2);
    CHECK(last > 8);
}
