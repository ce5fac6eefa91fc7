// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Oracle schedules: the best that a schedule could do if it knew every task's curve.

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "tunekit/schedule/concepts.hpp"

namespace programs {

/// A task's share of the model's latency after 0, 1, 2, ... slots: finite and never rising. [0] is after the warm-up.
using slot_curve = std::vector<double>;

/// The area under the model's latency while `order` runs, in seconds x slots: the sum over slots of the latency during
/// each. Lower is better. Slots of a task after the end of its curve change nothing.
[[nodiscard]] inline double latency_area(std::span<const slot_curve> curves, std::span<const std::size_t> order)
{
    std::vector<std::size_t> done(curves.size());
    double latency = 0, area = 0;
    for (const auto& c : curves) latency += c.front();
    for (const std::size_t k : order) {
        area += latency;
        if (done[k] + 1 < curves[k].size()) {
            latency += curves[k][done[k] + 1] - curves[k][done[k]];
            ++done[k];
        }
    }
    return area;
}

/// The greedy order: each slot goes to the task whose next slot saves most (ties: the lower), as long as slots are
/// left.
/// Source: Zhang et al. (2021), DynaTune, ICLR, section 4.1. Not optimal where a plateau comes before a fall.
[[nodiscard]] inline std::vector<std::size_t> myopic_order(std::span<const slot_curve> curves)
{
    std::vector<std::size_t> done(curves.size()), order;
    for (;;) {
        std::size_t best = curves.size();
        double most = -1;
        for (std::size_t k = 0; k < curves.size(); ++k) {
            if (done[k] + 1 >= curves[k].size()) continue;
            const double saved = curves[k][done[k]] - curves[k][done[k] + 1];
            if (saved > most) {
                most = saved;
                best = k;
            }
        }
        if (best == curves.size()) return order;
        ++done[best];
        order.push_back(best);
    }
}

/// The order of least `latency_area`. In each step the task with the highest mean saving over its next m slots, for any
/// m, gets those m slots (ties: the larger m, then the lower task).
///
/// Cost:   O(K n^2) for K curves of n slots.
/// Source: single-machine scheduling of chains, 1 | chains | sum w_j C_j with unit jobs: Pinedo, Scheduling, section
///         3.1, whose index this is.
[[nodiscard]] inline std::vector<std::size_t> area_optimal_order(std::span<const slot_curve> curves)
{
    std::vector<std::size_t> done(curves.size()), order;
    for (;;) {
        std::size_t best = curves.size(), length = 0;
        double most = -1;
        for (std::size_t k = 0; k < curves.size(); ++k)
            for (std::size_t m = 1; done[k] + m < curves[k].size(); ++m) {
                const double mean = (curves[k][done[k]] - curves[k][done[k] + m]) / static_cast<double>(m);
                if (mean > most || (mean == most && k == best)) {
                    most = mean;
                    best = k;
                    length = m;
                }
            }
        if (best == curves.size()) return order;
        done[best] += length;
        order.insert(order.end(), length, best);
    }
}

/// Gives slots in a given order and skips tasks that ended. When the order is used up, slots go to the first active
/// task. Use it for oracles and replays.
struct scripted {
    std::vector<std::size_t> order;  ///< task of each slot

    struct state {
        std::size_t next = 0;  ///< position in the order

        friend bool operator==(const state&, const state&) = default;
    };

    [[nodiscard]] state start(std::span<const tunekit::schedule::task_view>, const tunekit::schedule::run_shape&) const
    {
        return {};
    }

    template <tunekit::generator G>
    [[nodiscard]] std::size_t select(state& s, std::span<const tunekit::schedule::task_view> tasks, G&) const
    {
        while (s.next < order.size()) {
            const std::size_t k = order[s.next++];
            if (k < tasks.size() && tasks[k].active) return k;
        }
        std::size_t first = 0;
        while (!tasks[first].active) ++first;
        return first;
    }

    void update(state&, std::size_t, const tunekit::schedule::slot&) const {}
};

}  // namespace programs
