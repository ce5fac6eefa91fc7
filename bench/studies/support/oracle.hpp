// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Oracle schedules: the best that a schedule could do if it knew every task's curve.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
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

/// The cumulative regret R(T) of an order: what each slot saved less than the best next slot of any task would have, summed, in the
/// unit of the curves. `myopic_order` has 0. It forgives what is not seen one slot ahead: a schedule may regret less and arrive later.
///
///     R(T) = sum_t ( max_k r_k(t) - r_{k_t}(t) ),    r_k(t): what the next slot of task k saves
///
/// Source: Zhang et al. (2021), DynaTune, ICLR, section 4.1: its objective.
[[nodiscard]] inline double cumulative_regret(std::span<const slot_curve> curves, std::span<const std::size_t> order)
{
    std::vector<std::size_t> done(curves.size());
    const auto saves = [&](std::size_t k) {
        return done[k] + 1 < curves[k].size() ? curves[k][done[k]] - curves[k][done[k] + 1] : 0;
    };
    double regret = 0;
    for (const std::size_t chosen : order) {
        double most = 0;
        for (std::size_t k = 0; k < curves.size(); ++k) most = (std::max)(most, saves(k));
        regret += most - saves(chosen);
        ++done[chosen];
    }
    return regret;
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

/// A task's share of the model's latency once it was given so many seconds.
struct task_step {
    double seconds = 0, latency = 0;
};
/// Oldest first, as the task's own trials came.
using task_curve = std::vector<task_step>;

/// The exact oracle: the least seconds in which all tasks together come to a latency of at most `goal`, each by a beginning of
/// its own curve. Time is cut into slots; a step takes whole ones. +inf where no choice comes there in `most` seconds.
///
///     least sum_k slots_k  with  sum_k latency_k(slots_k) <= goal
///
/// Cost:   O(S sum_k s_k) for curves of s_k falling steps and S = most / slot.
/// Source: the multiple-choice knapsack: Kellerer, Pferschy, Pisinger (2004), Knapsack Problems, section 11.5.
[[nodiscard]] inline double least_seconds(std::span<const task_curve> curves, double goal, double most,
                                          double slot = 0.02)
{
    constexpr double never = std::numeric_limits<double>::infinity();
    const auto slots = static_cast<std::size_t>(most / slot);
    std::vector<double> latency(slots + 1, never), next(slots + 1);  // the least that so many slots come to
    latency[0] = 0;
    for (const task_curve& curve : curves) {
        std::fill(next.begin(), next.end(), never);
        double best = never;
        for (const task_step& step : curve) {
            if (step.latency >= best) continue;
            best = step.latency;
            const double ends = std::ceil(step.seconds / slot - 1e-9);
            if (ends > static_cast<double>(slots)) break;
            const auto length = static_cast<std::size_t>(ends);
            for (std::size_t t = length; t <= slots; ++t) next[t] = (std::min)(next[t], latency[t - length] + best);
        }
        latency.swap(next);
    }
    for (std::size_t t = 0; t <= slots; ++t)
        if (latency[t] <= goal) return slot * static_cast<double>(t);
    return never;
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
