// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Slots in proportion to work.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/schedule/concepts.hpp"

namespace tunekit::schedule {

/// Shares `slots` or `seconds` among the tasks in proportion to their FLOPs and serves them one task after another.
///
///     schedule::linear{.slots = 240}        // 60 s in slots of 0.25 s
///     schedule::linear{.seconds = 60}       // the same where slots last as long as they should
///
/// Task k gets slots * w_k flops_k / sum_j w_j flops_j, rounded by largest remainders (ties: lower k), at least one
/// (w_k = 1 unless `weighted`). The slots of the warm-up count. A task that ends early leaves its slots to the next;
/// what is left when all are served goes to the first active task. Slots end with a whole batch: where that is much
/// longer than a slot, shares of slots are used up late and the last tasks go short; shares of seconds, w_k flops_k /
/// sum_j w_j flops_j each, do not.
/// Randomness: none. Cost: O(K) per slot, O(K log K) at the start.
/// Source:     Zhang et al. (2021), DynaTune, ICLR, section 5 ("Linear"); its rounding is not published.
struct linear {
    std::uint64_t slots = 0;  ///< of all tasks together; 0: `seconds` count
    double seconds = 0;       ///< of all tasks together
    bool weighted = false;    ///< multiply FLOPs by the task's weight

    struct state {
        std::vector<std::uint64_t> shares;  ///< K; slots each task shall have; empty where seconds count
        std::vector<double> seconds;        ///< K; seconds each task shall have; empty where slots count

        friend bool operator==(const state&, const state&) = default;
    };

    [[nodiscard]] state start(std::span<const task_view> tasks) const
    {
        require((slots > 0) != (seconds > 0), "schedule::linear: want the slots of the whole run, or its seconds");
        const auto work = [&](const task_view& t) { return weighted ? t.flops * t.weight : t.flops; };
        double total = 0;
        for (const auto& t : tasks) total += work(t);
        state s;
        if (slots == 0) {
            for (const auto& t : tasks) s.seconds.push_back(seconds * work(t) / total);
            return s;
        }
        std::vector<std::pair<double, std::size_t>> remainders;  // negative, so that ascending order is the order of service
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

    template <generator G>
    [[nodiscard]] std::size_t select(state& s, std::span<const task_view> tasks, G&) const
    {
        std::size_t first = tasks.size();
        for (std::size_t k = 0; k < tasks.size(); ++k) {
            if (!tasks[k].active) continue;
            if (s.seconds.empty() ? tasks[k].slots < s.shares[k] : tasks[k].seconds < s.seconds[k]) return k;
            first = (std::min)(first, k);
        }
        return first;
    }

    void update(state&, std::size_t, const slot&) const {}
};

}  // namespace tunekit::schedule
