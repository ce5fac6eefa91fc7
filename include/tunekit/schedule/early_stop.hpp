// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A schedule that skips tasks that no longer improve.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/schedule/concepts.hpp"

namespace tunekit::schedule {

namespace detail {

/// The number of trials since the last improvement of a tuning curve; 0 before the first valid one. O(log n): curves
/// never rise.
[[nodiscard]] inline std::uint64_t stale_trials(std::span<const curve::curve_point> curve)
{
    if (curve.empty() || !(curve.back().best_cost < std::numeric_limits<double>::infinity())) return 0;
    const double best = curve.back().best_cost;
    const auto first = std::partition_point(curve.begin(), curve.end(),
                                            [best](const curve::curve_point& p) { return p.best_cost > best; });
    return curve.back().trial - first->trial;
}

}  // namespace detail

/// Settings of `early_stop`.
struct early_stop_options {
    std::uint64_t patience = 200;  ///< trials; > 0
};

/// Hides from `inner` the tasks that had no improvement in their last `patience` trials. Around a simple schedule it
/// gives the paper's dynamic form of it. DynaTune uses the same rule.
///
///     schedule::early_stop{schedule::random{}}                             // "dynamic allocation + random"
///     schedule::early_stop{schedule::round_robin{}, {.patience = 50}}
///
/// A task without a valid trial is never hidden. Slots under way do not count, because they may still improve their
/// task. When every task would be hidden, all are shown again, so that the time that is left is used.
/// Cost:   O(K log n) beside `inner`.
/// Source: Zhang et al. (2021), DynaTune, ICLR, section 5.3 (DA+Rand, DA+RR); N = 200.
/// Departures: the paper ends the run when no task is left.
template <class Inner>
struct early_stop {
    Inner inner;  ///< chooses among the tasks that are shown
    early_stop_options options{};

    struct state {
        state_of<Inner> inner;         ///< the state of `inner`
        std::vector<task_view> shown;  ///< the tasks as `inner` sees them
    };

    [[nodiscard]] state start(std::span<const task_view> tasks, const run_shape& run) const
    {
        require(options.patience > 0, "schedule::early_stop: patience is 0, want >= 1");
        return {inner.start(tasks, run), {}};
    }

    template <generator G>
    [[nodiscard]] std::size_t select(state& s, std::span<const task_view> tasks, G& gen) const
    {
        s.shown.assign(tasks.begin(), tasks.end());
        bool any = false;
        for (auto& t : s.shown) {
            t.active = t.active && detail::stale_trials(t.curve) < options.patience;
            any = any || t.active;
        }
        return inner.select(s.inner, any ? std::span<const task_view>(s.shown) : tasks, gen);
    }

    void update(state& s, std::size_t k, const slot& last) const { inner.update(s.inner, k, last); }
};

template <class Inner>
early_stop(Inner) -> early_stop<Inner>;
template <class Inner>
early_stop(Inner, early_stop_options) -> early_stop<Inner>;

}  // namespace tunekit::schedule
