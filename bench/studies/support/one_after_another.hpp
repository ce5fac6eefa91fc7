// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The baselines' schedule: one task after another, as AutoTVM's users run it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "bench/studies/support/replay_network.hpp"
#include "tunekit/random/generator.hpp"
#include "tunekit/schedule/concepts.hpp"
#include "tunekit/tune/budget.hpp"

namespace programs {

/// One task after another in a given order. What a task leaves of its share, as it stopped early, the later ones get.
struct one_after_another {
    std::vector<std::size_t> order;

    struct state {
        std::size_t at = 0;    ///< in the order
        double allowance = 0;  ///< seconds of the task there; 0: not begun
        double all = 0;        ///< seconds of all workers in the run

        friend bool operator==(const state&, const state&) = default;
    };

    [[nodiscard]] state start(std::span<const tunekit::schedule::task_view>,
                              const tunekit::schedule::run_shape& run) const
    {
        return {.all = run.worker_seconds()};
    }

    template <tunekit::generator G>
    [[nodiscard]] std::size_t select(state& s, std::span<const tunekit::schedule::task_view> tasks, G&) const
    {
        double spent = 0;
        for (const auto& t : tasks) spent += t.seconds;
        for (; s.at < order.size(); ++s.at, s.allowance = 0) {
            const auto& t = tasks[order[s.at]];
            if (s.allowance == 0) s.allowance = t.seconds + (s.all - spent) / static_cast<double>(order.size() - s.at);
            if (t.active && t.seconds < s.allowance) return order[s.at];
        }
        for (const std::size_t k : order)
            if (tasks[k].active) return k;
        return order.front();
    }
    void update(state&, std::size_t, const tunekit::schedule::slot&) const {}
};

/// How a baseline runs: when it stops a task, in which order it has them, and how it measures.
struct baseline_form {
    std::uint64_t stop = tunekit::unlimited;  ///< answers without improvement
    bool by_work = false;                     ///< the tasks of most work first; else as declared
    std::size_t first = 0;                    ///< configurations at random of every task before any has its turn
    bool overlap = false;                     ///< builds overlap runs
    bool spares = false;                      ///< runs, limits and late checks of `combined`; else its own ten runs

    friend bool operator==(const baseline_form&, const baseline_form&) = default;
};

/// Every form that a baseline may have: 64. AutoTVM's users choose stop and order; 200 is DynaTune's rule, 64 a round. A task that waits
/// for its turn has one configuration, or a batch of eight, which a run without overlap asks for anyway. What `combined` saves in
/// measuring is offered to it, too.
inline std::vector<baseline_form> baseline_forms()
{
    std::vector<baseline_form> out;
    for (const bool spares : {false, true})
        for (const bool overlap : {false, true})
            for (const std::uint64_t stop :
                 {tunekit::unlimited, std::uint64_t{200}, std::uint64_t{100}, std::uint64_t{64}})
                for (const bool by_work : {false, true})
                    for (const std::size_t first : {std::size_t{0}, std::size_t{8}})
                        out.push_back({stop, by_work, first, overlap, spares});
    return out;
}

/// The tasks of a network in the order of a form; ties as declared.
inline std::vector<std::size_t> order_of(std::span<const replayed_layer> layers, bool by_work)
{
    std::vector<std::size_t> out(layers.size());
    std::iota(out.begin(), out.end(), std::size_t{0});
    if (by_work)
        std::stable_sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) {
            return layers[a].flops * layers[a].weight > layers[b].flops * layers[b].weight;
        });
    return out;
}

/// Of the forms in the rows, that of the least product of T_q over the networks, which are the columns. Ties: the first.
inline std::size_t best_form(std::span<const std::vector<double>> tq)
{
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t f = 0; f < tq.size(); ++f) {
        double product = 1;
        for (const double t : tq[f]) product *= t;
        if (product < least) {
            least = product;
            best = f;
        }
    }
    return best;
}

}  // namespace programs
