// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A test of the three cache policies on this machine.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/rotating.hpp"
#include "tunekit/measure/timed.hpp"

namespace tunekit::measure {

/// Seconds of one run of the same load under each cache policy. Each is the smallest of all runs, because disturbance
/// only adds time.
struct cache_times {
    double warm = 0;      ///< seconds with the data that the run before left in the caches (`cache::warm`)
    double cold = 0;      ///< seconds after the caches were flushed (`cache::cold`)
    double rotating = 0;  ///< seconds over another copy of the data in each run (`rotating`)
};

namespace detail {

/// One step of a walk over memory. It lies in a cache line of its own and holds the position of the next one.
struct alignas(64) cache_line {
    std::uint32_t next = 0;
};

/// Walks all lines. Each load waits for the one before it, whose value is its address. `lines` is a power of two.
inline std::uint32_t walk(std::span<const cache_line> lines) noexcept
{
    std::uint32_t at = 0;
    for (std::size_t k = 0; k < lines.size(); ++k) at = lines[at].next;
    return at;
}

}  // namespace detail

/// Times a walk over 256 KiB with warm caches, with cold ones, and over rotating copies. The walk makes one dependent load
/// per cache line, in an order that no prefetcher guesses.
///
///     const cache_times seen = cache_self_test();
///     if (seen.cold < 1.5 * seen.warm) std::puts("flushing has no effect here: more memory is needed");
///
/// `flush_bytes` is what the policies are given: timed_options::flush_bytes, and the total of `rotating`.
/// Errors: std::invalid_argument where `runs` is 0; tunekit::error where the walk cannot be timed.
/// Cost:   about 10 ms per run, nearly all of it flushing.
[[nodiscard]] inline cache_times cache_self_test(std::uint32_t runs = 21, std::size_t flush_bytes = 0)
{
    require(runs >= 1, "cache_self_test: runs is 0, want >= 1");
    constexpr std::uint32_t lines = 4096;
    rotating<detail::cache_line> memory(lines, flush_bytes);
    for (std::size_t k = 0; k < memory.copies();
         ++k)  // visits every line: the multiplier is 1 modulo 4, the step is odd
        for (std::uint32_t i = 0; i < lines; ++i) memory.at(k)[i].next = (i * 1229 + 2531) % lines;

    const auto least = [&](bool turning, cache state) {
        const auto load = [&](int) {
            return [&](std::uint64_t turn) {
                volatile std::uint32_t seen = detail::walk(memory.at(turning ? turn : 0));
                static_cast<void>(seen);
            };
        };
        timed how{load, fixed{.runs = runs, .batch = 1}, no_check{}, wall_clock{},
                  timed_options{.state = state, .flush_bytes = flush_bytes, .min_steps = 0}};
        const measurement m = how(0, {.run_seconds = 600});
        if (!m.ok()) throw error("cache_self_test: the load cannot be timed here");
        return *std::min_element(m.batches.begin(), m.batches.end());
    };
    return {least(false, cache::warm), least(false, cache::cold), least(true, cache::warm)};
}

}  // namespace tunekit::measure
