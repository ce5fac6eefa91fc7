// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// One run of a strategy on a recorded space, evaluation by evaluation.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "tunekit/core/config.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/scoring/recording.hpp"
#include "tunekit/search/any_strategy.hpp"
#include "tunekit/space/index_set.hpp"

namespace tunekit::scoring {

/// A run on a recorded space: after each evaluation, the time passed and the best cost found. All vectors but `rows`
/// have one entry per evaluation.
struct trajectory {
    std::vector<double> seconds{};    ///< of recorded time that passed
    std::vector<double> best{};       ///< the lowest cost so far, seconds; infinite before the first valid one
    std::vector<double> own{};        ///< processor seconds of the strategy's thread so far; NaN: unknown
    std::vector<std::size_t> rows{};  ///< of the recording's file, or `recording::no_row`; empty: unknown
    std::size_t failed = 0;           ///< evaluations that failed, as far as known
    bool failures_known = true;       ///< false where only the best costs of the run are known

    /// The number of evaluations.
    [[nodiscard]] std::size_t evaluations() const noexcept { return best.size(); }
};

/// The length of a run: it goes on until both limits have passed, or the space is exhausted.
struct play_options {
    std::size_t batch = 1;          ///< configurations asked for at a time, >= 1
    std::size_t evaluations = 220;  ///< at least this many
    double seconds = -1;            ///< and at least until this much recorded time has passed
};

namespace detail {

/// Throws tunekit::error where a batch breaks the contract of `search::proposes`.
inline void check_batch(const recording& on, const std::vector<index>& batch, std::size_t most, space::index_set& seen)
{
    if (batch.size() > most)
        throw error("play: the strategy proposed " + core::detail::counted(batch.size(), "configuration") +
                    ", want at most " + std::to_string(most));
    for (const index i : batch) {
        if (i >= on.rows.size())
            throw error("play: the strategy proposed configuration " + std::to_string(i) + ", want one of the " +
                        std::to_string(on.rows.size()) + " of \"" + on.name + '"');
        if (!seen.insert(i))
            throw error("play: the strategy proposed configuration " + std::to_string(i) + " of \"" + on.name +
                        "\" twice, want each once");
    }
}

}  // namespace detail

/// Runs a strategy on a recording. The rows answer its proposals, and the recorded seconds count as the time of the
/// run.
///
///     auto gen = tk::random::stream(seed, purpose, repeat);
///     const auto run = scoring::play(tk::search::annealing{}, on, {}, gen);
///
/// The strategy's own time is the processor time of the calling thread in start, propose and observe.
/// Errors:     std::invalid_argument where `batch` is 0, and what the strategy throws; tunekit::error where it breaks
///             its contract: more than asked for, a configuration twice, an index outside the space.
/// Randomness: the strategy's.
[[nodiscard]] inline trajectory play(const search::any_strategy& strategy, const recording& on, const play_options& how,
                                     random::philox& gen)
{
    require(how.batch > 0, "play: batch is 0, want >= 1");
    trajectory out;
    space::index_set seen;
    std::vector<measure::measurement> measured;
    double now = 0, best = std::numeric_limits<double>::infinity(), spent = 0;
    measure::thread_clock work;
    double begun = work();
    auto state = strategy.start(on.space);
    while (now <= how.seconds || out.evaluations() < how.evaluations) {
        const auto batch = strategy.propose(state, on.space, how.batch, gen);
        spent += work() - begun;
        if (batch.empty()) break;
        detail::check_batch(on, batch, how.batch, seen);
        measured.clear();
        for (const index i : batch) {
            const auto k = static_cast<std::size_t>(i);
            const auto& row = on.rows[k];
            now += row.seconds;
            if (row.result.failed) ++out.failed;
            if (row.result.ok()) best = (std::min)(best, row.result.cost);
            out.seconds.push_back(now);
            out.best.push_back(best);
            out.own.push_back(spent);
            out.rows.push_back(on.source_rows.empty() ? recording::no_row : on.source_rows[k]);
            measured.push_back(row.result);
        }
        begun = work();
        strategy.observe(state, on.space, batch, measured, gen);
    }
    return out;
}

}  // namespace tunekit::scoring
