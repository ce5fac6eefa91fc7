// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A schedule that gives slots in proportion to work.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/schedule/concepts.hpp"

namespace tunekit::schedule {

/// Divides the run's seconds among the tasks in proportion to their FLOPs, and serves them one task after another.
///
///     schedule::linear{}                    // the seconds of the run
///     schedule::linear{.seconds = 60}       // of workers, where the run has no end of its own
///     schedule::linear{.slots = 240}        // slots, as the paper does
///
/// Task k gets seconds * w_k flops_k / sum_j w_j flops_j (w_k = 1 unless `weighted`), or as many slots, rounded by
/// largest remainders (ties: lower k), at least one. The warm-up counts, and a slot under way counts for its whole
/// length. The share of a task that ends early goes to the next one. What is left when all had theirs goes to the first
/// active task. Slots end with a whole batch. Where a batch takes much longer than a slot, shares in slots last too
/// long and the last tasks get too little time; shares in seconds do not have this fault.
///
/// Errors:     std::invalid_argument from `start` if both slots and seconds are given, or if neither is in a run
///             without end.
/// Randomness: none. Cost: O(K) per slot, O(K log K) at the start.
/// Source:     Zhang et al. (2021), DynaTune, ICLR, section 5 ("Linear"); its rounding is not published.
struct linear {
    std::uint64_t slots = 0;  ///< of all tasks together; 0: seconds are shared
    double seconds = 0;       ///< of all tasks and workers together; 0: those of the run
    bool weighted = false;    ///< multiply FLOPs by the task's weight

    struct state {
        std::vector<std::uint64_t> shares;  ///< K; slots each task shall have; empty where seconds count
        std::vector<double> seconds;        ///< K; seconds each task shall have; empty where slots count
        double slot_seconds = 0;            ///< the assumed length of a slot under way

        friend bool operator==(const state&, const state&) = default;
    };

    [[nodiscard]] state start(std::span<const task_view> tasks, const run_shape& run) const;

    template <generator G>
    [[nodiscard]] std::size_t select(state& s, std::span<const task_view> tasks, G&) const
    {
        std::size_t first = tasks.size();
        for (std::size_t k = 0; k < tasks.size(); ++k) {
            if (!tasks[k].active) continue;
            const double spent = tasks[k].seconds + static_cast<double>(tasks[k].running) * s.slot_seconds;
            if (s.seconds.empty() ? tasks[k].slots < s.shares[k] : spent < s.seconds[k]) return k;
            first = (std::min)(first, k);
        }
        return first;
    }

    void update(state&, std::size_t, const slot&) const {}
};

}  // namespace tunekit::schedule

#if TUNEKIT_BODIES
namespace tunekit::schedule {

TUNEKIT_INLINE linear::state linear::start(std::span<const task_view> tasks, const run_shape& run) const
{
    require(seconds >= 0 && (slots == 0 || seconds == 0), "schedule::linear: want slots or seconds, not both");
    const double shared = seconds > 0 ? seconds : run.worker_seconds();
    require(slots > 0 || std::isfinite(shared),
            "schedule::linear: the run has no end, want slots or seconds, or a run of finite seconds");
    const auto work = [&](const task_view& t) { return weighted ? t.flops * t.weight : t.flops; };
    double total = 0;
    for (const auto& t : tasks) total += work(t);
    state s;
    s.slot_seconds = run.slot_seconds;
    if (slots == 0) {
        for (const auto& t : tasks) s.seconds.push_back(shared * work(t) / total);
        return s;
    }
    std::vector<std::pair<double, std::size_t>> remainders;  // negative: the largest remainder comes first
    std::uint64_t given = 0;
    for (std::size_t k = 0; k < tasks.size(); ++k) {
        const double share = static_cast<double>(slots) * work(tasks[k]) / total;
        s.shares.push_back(static_cast<std::uint64_t>(share));
        remainders.emplace_back(static_cast<double>(s.shares.back()) - share, k);
        given += s.shares.back();
    }
    std::sort(remainders.begin(), remainders.end());
    for (std::size_t r = 0; given < slots && r < remainders.size(); ++r, ++given) ++s.shares[remainders[r].second];
    for (auto& share : s.shares) share = (std::max)(share, std::uint64_t{1});
    return s;
}

}  // namespace tunekit::schedule
#endif  // TUNEKIT_BODIES
