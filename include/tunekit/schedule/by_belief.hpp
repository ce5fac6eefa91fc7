// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// DynaTune's schedule: the next slot goes to the task with the largest forecast gain.

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/bandit/concepts.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/curve/concepts.hpp"
#include "tunekit/schedule/concepts.hpp"

namespace tunekit::schedule {

/// Settings of `by_belief`.
struct by_belief_options {
    double peak = 0;  ///< FLOP/s of the device; 0 where unknown: 1.25 times the best rate of any task
    curve::gain reward = curve::gain::of_expected_improvement;  ///< the formula of a slot's reward
};

/// Forecasts for each task what a slot would save of the model's latency. A bandit chooses the task, with that saving
/// as its reward.
///
///     schedule::by_belief{curve::belief<>{}, bandit::ucb::scale_free()}
///     schedule::by_belief{curve::belief<>{}, [](double latency) { return bandit::ucb::paper(latency); }}
///
/// Task k after n_k trials in T_k seconds makes m_k = max(1, floor(slot / (T_k / n_k))) trials in a slot of the run. It
/// is forecast at trial n_k + m_k, and its reward is `curve::latency_reduction` of that forecast, in seconds of the
/// model. A slot under way is assumed to make m_k trials without improvement; the forecast then starts after them. A
/// task is forecast again only where its curve grew or its slots under way changed. `bandit` is a bandit, or a function
/// that makes one from the model's latency after the warm-up. Pulls are slots, including those of the warm-up and those
/// under way.
///
/// Errors:     std::invalid_argument from `start` for a run whose slots have no length, or a negative peak.
/// Randomness: what the belief draws for each forecast, in the order of the tasks, then what the bandit draws.
/// Cost:       one forecast for each task that changed, and O(K), per choice.
/// Source:     Zhang et al. (2021), DynaTune: Dynamic Tensor Program Optimization in Deep Neural Network Compilation,
///             ICLR, algorithm 1 and section 4.
/// Departures: tasks are retired by `early_stop`, not here. The expected reward of a task without a valid trial is 0;
///             the bandit still explores it. The paper has one worker. The assumption on slots under way is ours:
///             without it all workers would choose the same task.
template <class Belief, class Bandit>
struct by_belief {
    Belief belief;  ///< forecasts a tuning curve
    Bandit bandit;  ///< chooses the task, or makes a bandit of the latency
    by_belief_options options{};

    /// The bandit of a run whose model has this latency after the warm-up, in seconds.
    static auto bandit_for(const Bandit& b, double latency)
    {
        if constexpr (std::invocable<const Bandit&, double>) return b(latency);
        else return b;
    }

    /// A task's forecast and the data behind it.
    struct expectation {
        std::size_t trials = 0;     ///< of the task when it was forecast
        std::uint64_t running = 0;  ///< slots under way when it was forecast
        double reward = 0;          ///< seconds, of the next slot
        bool known = false;         ///< whether there is a forecast

        friend bool operator==(const expectation&, const expectation&) = default;
    };

    struct state {
        /// The bandit of the run.
        decltype(bandit_for(std::declval<const Bandit&>(), 0.0)) bandit;
        std::vector<expectation> tasks;  ///< K
        double slot_seconds = 0;         ///< of the run
    };

    [[nodiscard]] state start(std::span<const task_view> tasks, const run_shape& run) const
    {
        require(run.slot_seconds > 0, "schedule::by_belief: the run's slot_seconds is not positive, want > 0");
        require(options.peak >= 0, "schedule::by_belief: peak is negative or NaN, want > 0, or 0 if unknown");
        double latency = 0;
        for (const auto& t : tasks) latency += t.weight * best_cost(t);
        return {bandit_for(bandit, latency), std::vector<expectation>(tasks.size()), run.slot_seconds};
    }

    template <generator G>
    [[nodiscard]] std::size_t select(state& s, std::span<const task_view> tasks, G& gen) const
    {
        static_assert(curve::belief_model<Belief, G>,
                      "tunekit: schedule::by_belief, part 1: not a curve::belief_model");
        static_assert(tunekit::bandit::bandit<decltype(s.bandit), G>,
                      "tunekit: schedule::by_belief, part 2: not a bandit::bandit");
        const double peak = options.peak > 0 ? options.peak : 1.25 * best_rate(tasks);
        std::vector<tunekit::bandit::arm> arms;
        std::uint64_t slots = 0;
        for (std::size_t k = 0; k < tasks.size(); ++k) {
            const task_view& t = tasks[k];
            expectation& e = s.tasks[k];
            if (t.active && (!e.known || e.trials != t.curve.size() || e.running != t.running))
                e = {t.curve.size(), t.running, reward(t, s.slot_seconds, peak, gen), true};
            arms.push_back({e.reward, t.slots, t.active});
            slots += t.slots;
        }
        return s.bandit.select(arms, slots, gen);
    }

    void update(state&, std::size_t, const slot&) const {}  // the curves tell

    /// The seconds of model latency that the next slot of `t`, of `slot_seconds`, is expected to save.
    template <generator G>
    [[nodiscard]] double reward(const task_view& t, double slot_seconds, double peak, G& gen) const
    {
        if (t.curve.empty()) return 0;
        std::vector<double> best;  // rates, in FLOP/s
        for (const auto& p : t.curve) best.push_back(t.flops / p.best_cost);
        const double pace = t.seconds / static_cast<double>(best.size());
        const double made = std::floor(slot_seconds / pace);
        const double trials = made >= 1 ? made : 1;
        if (t.running > 0) {
            const double flat = static_cast<double>(t.running) * (std::fmin)(trials, most_believed);
            best.resize(best.size() + static_cast<std::size_t>(flat), best.back());
        }
        const double horizon = static_cast<double>(best.size()) + trials;
        return curve::latency_reduction(belief.predict(best, horizon, peak, gen), t.flops, t.weight, options.reward);
    }

private:
    static constexpr double most_believed =
        1e4;  // trials of a slot under way: a clock that stands still makes it endless

    /// Seconds of the best valid trial so far; +inf before there is one.
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
by_belief(Belief, Bandit, by_belief_options) -> by_belief<Belief, Bandit>;

}  // namespace tunekit::schedule
