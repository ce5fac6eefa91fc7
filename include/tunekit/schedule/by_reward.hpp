// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Any bandit policy as a schedule: the next slot goes to the task whose slots have paid best so far.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/bandit/concepts.hpp"
#include "tunekit/schedule/concepts.hpp"

namespace tunekit::schedule {

/// Lets a bandit policy choose the task. The reward of a slot is the time that it saved, as a share of the model's
/// latency at the start.
///
///     schedule::by_reward{bandit::ucb1{.exploration = 0.1}}
///     schedule::early_stop{schedule::by_reward{bandit::on_means{bandit::softmax{}}}}
///
/// Rewards lie in [0, 1], and over a run they sum to 1 at most. A task that ended is not among the arms that the policy
/// sees. The reward of a slot under way is assumed to be 0. A slot that finds the first valid configuration of a task
/// has reward 0, because its saving is not known.
///
/// Errors:     what the policy's `start` throws.
/// Randomness: what the policy draws.
/// Cost:       the policy's, and a copy of its state per choice while slots are under way.
/// Departures: rewards fall as a curve flattens, and a policy over means learns that late. `by_belief` forecasts
///             instead. Use `by_reward` for comparison, and with policies that forget.
template <class Policy>
struct by_reward {
    Policy policy;  ///< chooses the task

    struct state {
        typename Policy::state policy;  ///< what the policy has learnt
        std::vector<double> shares;     ///< K; of the model's latency at the start, per second of the task's cost
    };

    [[nodiscard]] state start(std::span<const task_view> tasks, const run_shape&) const
    {
        double latency = 0;  // of the tasks that have one
        for (const auto& t : tasks)
            if (!t.curve.empty() && std::isfinite(t.curve.back().best_cost))
                latency += t.weight * t.curve.back().best_cost;
        state s{policy.start(tasks.size()), {}};
        for (const auto& t : tasks) s.shares.push_back(latency > 0 ? t.weight / latency : 0);
        return s;
    }

    template <generator G>
    [[nodiscard]] std::size_t select(state& s, std::span<const task_view> tasks, G& gen) const
    {
        static_assert(bandit::policy<Policy, G>, "tunekit: schedule::by_reward, part 1: not a bandit::policy");
        static_assert(
            bandit::selects_among<Policy, G>,
            "tunekit: schedule::by_reward, part 1: select(state, among, gen) is missing, so the policy cannot "
            "pass over tasks that ended");
        std::vector<std::size_t> active;
        std::uint64_t running = 0;
        for (std::size_t k = 0; k < tasks.size(); ++k) {
            if (tasks[k].active) active.push_back(k);
            running += tasks[k].running;
        }
        if (running == 0) return policy.select(std::as_const(s.policy), active, gen);
        auto believed = s.policy;
        for (std::size_t k = 0; k < tasks.size(); ++k)
            for (std::uint64_t i = 0; i < tasks[k].running; ++i) policy.update(believed, k, 0);
        return policy.select(std::as_const(believed), active, gen);
    }

    void update(state& s, std::size_t k, const slot& last) const
    {
        const double saved = last.best_cost_before - last.best_cost_after;
        policy.update(s.policy, k, std::isfinite(saved) && saved > 0 ? s.shares[k] * saved : 0);
    }
};

template <class Policy>
by_reward(Policy) -> by_reward<Policy>;

}  // namespace tunekit::schedule
