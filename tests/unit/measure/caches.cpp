// SPDX-License-Identifier: MIT
#include "tunekit/measure/timed.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/keep.hpp"

namespace measure = tunekit::measure;

namespace {

/// One step of a walk over memory. It lies in a cache line of its own and holds the position of the next one.
struct alignas(64) cache_line {
    std::uint32_t next = 0;
};

/// The least seconds of 21 walks over 256 KiB, each in the next of `copies`: one dependent load per cache line, in an order that no
/// prefetcher guesses. Disturbance only adds time.
double walk_seconds(std::size_t copies, measure::cache state)
{
    constexpr std::uint32_t lines = 4096;
    std::vector<cache_line> memory(copies * lines);
    for (std::size_t i = 0; i < memory.size(); ++i)
        memory[i].next = (static_cast<std::uint32_t>(i % lines) * 1229 + 2531) % lines;
    std::set<std::uint32_t> seen;
    for (std::uint32_t at = 0; seen.insert(at).second;) at = memory[at].next;
    REQUIRE(seen.size() == lines);
    const auto load = [&](int) {
        return [&](std::uint64_t turn) {
            const cache_line* const copy = memory.data() + turn % copies * lines;
            std::uint32_t at = 0;
            for (std::size_t k = 0; k < lines; ++k) at = copy[at].next;
            measure::keep(at);
        };
    };
    measure::timed how{load, measure::fixed{.runs = 21, .batch = 1}, measure::no_check{}, measure::wall_clock{},
                       measure::timed_options{.state = state, .min_steps = 0}};
    const measure::measurement m = how(0, {.run_seconds = 600});
    REQUIRE(m.ok());
    return *std::min_element(m.batches.begin(), m.batches.end());
}

}  // namespace

TEST_CASE(
    "cache policies work on this machine: the least of 21 runs, cold and over other data half as long again as warm")
{
    const double warm = walk_seconds(1, measure::cache::warm);
    const double cold = walk_seconds(1, measure::cache::cold);
    const std::size_t copies = measure::detail::usual_flush / (4096 * sizeof(cache_line)) + 2;
    const double other = walk_seconds(copies, measure::cache::warm);
    INFO("warm " << warm << " s, cold " << cold << " s, other data each time " << other << " s");
    CHECK(warm > 0);
    CHECK(cold > 1.5 * warm);
    CHECK(other > 1.5 * warm);
}
