// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A system against sequential AutoTVM with and without early stopping, both under the same stopping rule and budget, and with
/// builds charged as builders that work side by side take them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/studies/support/middle.hpp"
#include "bench/studies/support/replay_network.hpp"
#include "tools/support/names.hpp"
#include "tunekit/schedule/concepts.hpp"
#include "tunekit/stats/quantile.hpp"

namespace programs {

/// One task after another in a given order. What a task leaves of its share, as it stopped early, the later ones get.
struct one_after_another {
    std::vector<std::size_t> order;
    double seconds = 0;  ///< of the run

    struct state {
        std::size_t at = 0;    ///< in the order
        double allowance = 0;  ///< seconds of the task there; 0: not begun

        friend bool operator==(const state&, const state&) = default;
    };

    [[nodiscard]] state start(std::span<const tunekit::schedule::task_view>, const tunekit::schedule::run_shape&) const
    {
        return {};
    }

    template <tunekit::generator G>
    [[nodiscard]] std::size_t select(state& s, std::span<const tunekit::schedule::task_view> tasks, G&) const
    {
        double spent = 0;
        for (const auto& t : tasks) spent += t.seconds;
        for (; s.at < order.size(); ++s.at, s.allowance = 0) {
            const auto& t = tasks[order[s.at]];
            if (s.allowance == 0)
                s.allowance = t.seconds + (seconds - spent) / static_cast<double>(order.size() - s.at);
            if (t.active && t.seconds < s.allowance) return order[s.at];
        }
        for (const std::size_t k : order)
            if (tasks[k].active) return k;
        return order.front();
    }
    void update(state&, std::size_t, const tunekit::schedule::slot&) const {}
};

/// What is compared: every cell of these.
struct fair_settings {
    std::vector<double> budgets{150, 300, 600, 1200, 2400};              ///< seconds
    std::vector<std::uint64_t> stops{tunekit::unlimited, 200, 100, 64};  ///< answers without improvement, on both sides
    std::vector<std::size_t> builders{1};
    std::vector<std::string> strategies{"autotvm-paper", "combined"};  ///< the first is the baseline's, too
};

/// A strategy under DynaTune's schedule, against one baseline.
struct challenger {
    std::string name;
    middle speedup{};
};

/// A baseline, and what its challengers make of its goal: 1.01 times the latency that it ends with.
struct fair_row {
    double seconds = 0;
    std::uint64_t stop = 0;
    std::size_t builders = 1;
    bool by_work = false;  ///< the tasks in the order of their work, largest first; else as declared
    double final_latency = 0, seconds_to_quality = 0;
    std::vector<challenger> against{};
};

namespace detail {

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

template <class Schedule>
std::vector<replayed_run> all_repeats(const replayed_network& on, const Schedule& schedule, std::size_t repeats)
{
    std::vector<replayed_run> out;
    for (std::size_t r = 0; r < repeats; ++r) out.push_back(on.run(schedule, r));
    return out;
}

}  // namespace detail

/// Every baseline with its challengers. With builders, a challenger that asks for fewer at a time is there twice: as its recipe has
/// it, and asking for as many as there are builders. Calls `done` after each budget.
inline std::vector<fair_row> fair_comparison(const std::vector<replayed_layer>& layers, const fair_settings& f,
                                             replay_settings s, const std::function<void(const fair_row&)>& done)
{
    constexpr double quality = 1.01, never = std::numeric_limits<double>::infinity();
    const auto known = schedules();
    const auto& dynatune = find(known, "schedule", "dynatune");
    std::vector<fair_row> out;
    for (const std::size_t builders : f.builders) {
        for (const double seconds : f.budgets) {
            for (const std::uint64_t stop : f.stops) {
                s.builders = builders;
                s.seconds = seconds;
                s.patience = stop;
                std::vector<std::pair<std::string, std::vector<replayed_run>>> challengers;
                for (const auto& name : f.strategies) {
                    auto system = replayed_by(name, s, layers.size());
                    challengers.emplace_back(
                        name, detail::all_repeats(replayed_network(layers, name, system, s), dynatune, s.repeats));
                    if (system.recipe.ahead >= builders) continue;
                    system.recipe.ahead = builders;
                    challengers.emplace_back(
                        name + ", " + std::to_string(builders) + " ahead",
                        detail::all_repeats(replayed_network(layers, name, system, s), dynatune, s.repeats));
                }
                for (const bool by_work : {false, true}) {
                    const replayed_network on(layers, f.strategies.front(), s);
                    const auto baseline = detail::all_repeats(
                        on, one_after_another{detail::order_of(layers, by_work), seconds}, s.repeats);
                    std::vector<double> finals, reached;
                    for (const auto& run : baseline) {
                        if (run.model.empty())
                            throw tunekit::error("--budgets: " + std::to_string(seconds) +
                                                 " s end in the warm-up, want more");
                        finals.push_back(run.model.back().latency);
                        reached.push_back(seconds_to(run.model, quality * finals.back()));
                    }
                    auto& row = out.emplace_back(fair_row{.seconds = seconds,
                                                          .stop = stop,
                                                          .builders = builders,
                                                          .by_work = by_work,
                                                          .final_latency = tunekit::stats::median(finals),
                                                          .seconds_to_quality = tunekit::stats::median(reached)});
                    for (const auto& [name, runs] : challengers) {
                        std::vector<double> each(runs.size());
                        for (std::size_t r = 0; r < runs.size(); ++r) {
                            const double at = seconds_to(runs[r].model, quality * finals[r]);
                            each[r] = at < never ? reached[r] / at : 0;  // never there: no speed
                        }
                        row.against.push_back({name, middle_of(each)});
                    }
                    done(row);
                }
            }
        }
    }
    return out;
}

/// The row in which a challenger's median is least: the baseline that favours it least. Nothing where it is in no row.
inline const fair_row* least_favourable(std::span<const fair_row> rows, const std::string& name)
{
    const fair_row* least = nullptr;
    double speed = std::numeric_limits<double>::infinity();
    for (const auto& row : rows)
        for (const auto& c : row.against)
            if (c.name == name && c.speedup.median < speed) {
                least = &row;
                speed = c.speedup.median;
            }
    return least;
}

}  // namespace programs
