// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The next slot to whoever is believed to gain most from it: DynaTune.

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tunekit/bandit/concepts.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/curve/concepts.hpp"
#include "tunekit/curve/gain.hpp"
#include "tunekit/schedule/concepts.hpp"

namespace tunekit::schedule {

/// Forecasts what a slot would take off the model's latency for each task, and lets a bandit choose with that as its reward.
///
///     schedule::by_belief{curve::belief<>{}, bandit::ucb::scale_free(), {.slot_seconds = 0.25}}
///     schedule::by_belief{curve::belief<>{}, [](double latency) { return bandit::ucb::paper(latency); }}
///
/// Task k after n_k trials in T_k seconds is forecast at trial n_k + max(1, floor(slot_seconds / (T_k / n_k))); its reward is
/// `curve::latency_reduction` of that forecast, in seconds of the model. Only the task that had the last slot is forecast
/// again: the others' curves did not move. `bandit` is a bandit, or a function that makes one of the model's latency after the
/// warm-up. Pulls are slots, those of the warm-up included.
///
/// Randomness: what the belief draws for each curve that moved, in the order of the tasks, then what the bandit draws.
/// Cost:       one forecast and O(K) per choice.
/// Source:     Zhang et al. (2021), DynaTune: Dynamic Tensor Program Optimization in Deep Neural Network Compilation, ICLR,
///             algorithm 1 and section 4.
/// Departures: tasks are retired by `early_stop`, not here. A task without a valid trial has no reward to expect; the bandit
///             still explores it.
template <class Belief, class Bandit>
struct by_belief {
    struct parameters {
        double slot_seconds = 100;  ///< what a slot will last; > 0
        double peak = 0;            ///< FLOP/s of the device; 0 where unknown: 1.25 times the best rate of any task
        curve::gain reward = curve::gain::of_expected_improvement;
    };

    Belief belief;
    Bandit bandit;
    parameters options{};

    static auto bandit_for(const Bandit& b, double latency)
    {
        if constexpr (std::invocable<const Bandit&, double>) return b(latency);
        else return b;
    }

    struct state {
        decltype(bandit_for(std::declval<const Bandit&>(), 0.0)) bandit;
        std::vector<double> rewards;      ///< K; seconds, of the next slot
        std::vector<std::uint8_t> moved;  ///< K; whether the curve is longer than the forecast knows
    };

    [[nodiscard]] state start(std::span<const task_view> tasks) const
    {
        require(options.slot_seconds > 0, "schedule::by_belief: slot_seconds is not positive, want > 0");
        require(options.peak >= 0, "schedule::by_belief: peak is negative or NaN, want > 0, or 0 where unknown");
        double latency = 0;
        for (const auto& t : tasks) latency += t.weight * best_cost(t);
        return {bandit_for(bandit, latency), std::vector<double>(tasks.size()), std::vector<std::uint8_t>(tasks.size(), 1)};
    }

    template <generator G>
    [[nodiscard]] std::size_t select(state& s, std::span<const task_view> tasks, G& gen) const
    {
        static_assert(curve::belief_model<Belief, G>, "tunekit: schedule::by_belief, part 1: not a curve::belief_model");
        static_assert(tunekit::bandit::bandit<decltype(s.bandit), G>,
                      "tunekit: schedule::by_belief, part 2: not a bandit::bandit");
        const double peak = options.peak > 0 ? options.peak : 1.25 * best_rate(tasks);
        std::vector<tunekit::bandit::arm> arms;
        std::uint64_t slots = 0;
        for (std::size_t k = 0; k < tasks.size(); ++k) {
            if (s.moved[k] != 0 && tasks[k].active) {
                s.rewards[k] = reward(tasks[k], peak, gen);
                s.moved[k] = 0;
            }
            arms.push_back({s.rewards[k], tasks[k].slots, tasks[k].active});
            slots += tasks[k].slots;
        }
        return s.bandit.select(arms, slots, gen);
    }

    void update(state& s, std::size_t k, const slot&) const { s.moved[k] = 1; }

    /// Seconds of model latency that the next slot of `t` is expected to save.
    template <generator G>
    [[nodiscard]] double reward(const task_view& t, double peak, G& gen) const
    {
        if (t.curve.empty()) return 0;
        std::vector<double> best;
        best.reserve(t.curve.size());
        for (const auto& p : t.curve) best.push_back(t.flops / p.best_cost);  // 0 while there is none
        const auto n = static_cast<double>(best.size());
        const double trials = std::floor(options.slot_seconds / (t.seconds / n));
        const double horizon = n + (trials >= 1 ? trials : 1);
        return curve::latency_reduction(belief.predict(best, horizon, peak, gen), t.flops, t.weight, options.reward);
    }

private:
    [[nodiscard]] static double best_cost(const task_view& t)
    {
        return t.curve.empty() ? std::numeric_limits<double>::infinity() : t.curve.back().best_cost;
    }

    [[nodiscard]] static double best_rate(std::span<const task_view> tasks)
    {
        double rate = 0;
        for (const auto& t : tasks)
            if (!t.curve.empty()) rate = (std::fmax)(rate, t.flops / t.curve.back().best_cost);
        return rate;
    }
};

template <class Belief, class Bandit>
by_belief(Belief, Bandit) -> by_belief<Belief, Bandit>;
template <class Belief, class Bandit>
by_belief(Belief, Bandit, typename by_belief<Belief, Bandit>::parameters) -> by_belief<Belief, Bandit>;

}  // namespace tunekit::schedule
