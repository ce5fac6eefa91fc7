// SPDX-License-Identifier: MIT
// Strategies against random on spaces that were measured on real hardware: packages/scoring/recordings.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/in_batches.hpp"
#include "tunekit/formats/recorded_space.hpp"
#include "tunekit/measure/replay.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/search/genetic.hpp"
#include "tunekit/search/hill_climb.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;

namespace {

struct recorded_case {
    tk::space::value_product space;
    std::vector<tk::measure::recorded_row> table;
    double optimum = std::numeric_limits<double>::infinity();
};

/// The recording of that name. Unit tests run in the root of the tree.
recorded_case load(const std::string& name)
{
    const auto recorded = tk::io::read_recorded_space("packages/scoring/recordings/" + name);
    CHECK(recorded.problems.empty());
    recorded_case out{tk::io::space_of(recorded), {}};
    auto table = tk::io::table_of(recorded, out.space);
    CHECK(table.problems.empty());
    out.table = std::move(table.rows);
    for (const auto& row : out.table)
        if (row.result.ok()) out.optimum = (std::min)(out.optimum, row.result.cost);
    return out;
}

tk::tuning run(const recorded_case& on, const auto& strategy, const tk::budget& budget, std::uint64_t seed)
{
    double now = 0;
    const tk::measure::virtual_clock time(now);
    tk::measure::replay measure(on.table, time);
    auto gen = tk::random::stream(seed, 1, 0);
    tk::tuning record = tk::tune(on.space, measure, strategy, budget, gen, {.clock = time});
    CHECK(record.seconds() == doctest::Approx(now));
    return record;
}

/// Median over 25 seeds of best / optimum after `trials`.
double median_ratio(const recorded_case& on, const auto& strategy, std::uint64_t trials, std::size_t batch)
{
    std::vector<double> ratios;
    for (std::uint64_t seed = 1; seed <= 25; ++seed)
        ratios.push_back(run(on, support::in_batches(batch, strategy), {.trials = trials}, seed).best_cost() /
                         on.optimum);
    std::nth_element(ratios.begin(), ratios.begin() + 12, ratios.end());
    return ratios[12];
}

}  // namespace

TEST_CASE(
    "annealing and hill_climb beat random in the median of 25 seeds on both recorded spaces, one by one and in batches")
{
    for (const std::string name : {"conv2d_S12", "gemm_Out"}) {
        const auto on = load(name);
        for (const std::size_t batch : {std::size_t{1}, std::size_t{8}}) {
            CAPTURE(name);
            CAPTURE(batch);
            for (const std::uint64_t trials : {std::uint64_t{50}, std::uint64_t{100}, std::uint64_t{200}}) {
                CAPTURE(trials);
                const double random = median_ratio(on, tk::search::random{}, trials, batch);
                CHECK(median_ratio(on, tk::search::annealing{}, trials, batch) < random);
                CHECK(median_ratio(on, tk::search::hill_climb{}, trials, batch) < random);
            }
        }
    }
}

TEST_CASE("a whole recorded space searched gives its optimum, its failures and its seconds")
{
    const auto on = load("gemm_Out");
    std::uint64_t failed = 0;
    double seconds = 0;
    for (const auto& row : on.table) {
        failed += row.result.failed ? 1U : 0U;
        seconds += row.seconds;
    }
    CHECK(failed > 0);
    const auto record = run(on, support::in_batches(64, tk::search::random{}), {}, 1);
    CHECK(record.stopped() == tk::stop_reason::exhausted);
    CHECK(record.trials().size() == on.space.size());
    CHECK(record.failed() == failed);
    CHECK(record.best_cost() == on.optimum);
    CHECK(record.seconds() == doctest::Approx(seconds));
}

TEST_CASE("a budget of recorded seconds ends a replay where it ended the machine's time")
{
    const auto on = load("gemm_Out");
    const auto record = run(on, support::in_batches(1, tk::search::random{}), {.seconds = 0.5}, 3);
    CHECK(record.stopped() == tk::stop_reason::seconds);
    CHECK(record.seconds() >= 0.5);
    const auto& last = on.table[static_cast<std::size_t>(record.trials().back().candidate)];
    CHECK(record.seconds() - last.seconds < 0.5);
}
