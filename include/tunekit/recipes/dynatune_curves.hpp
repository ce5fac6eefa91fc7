// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// DynaTune's schedule as in its paper, by fitted tuning curves.

#include "tunekit/bandit/epsilon_greedy.hpp"
#include "tunekit/bandit/softmax.hpp"
#include "tunekit/bandit/ucb.hpp"
#include "tunekit/curve/belief.hpp"
#include "tunekit/schedule/by_belief.hpp"
#include "tunekit/schedule/early_stop.hpp"

namespace tunekit::recipes {

namespace detail {

template <class Bandit>
[[nodiscard]] auto dynatune_by_curves(Bandit bandit, double peak = 0)
{
    return schedule::early_stop{schedule::by_belief{curve::belief<>{}, bandit, {.peak = peak}}};
}

}  // namespace detail

/// DynaTune with the paper's belief, piecewise log power curves and ensemble MCMC, and the index without units.
[[nodiscard]] inline auto dynatune_curves() { return detail::dynatune_by_curves(bandit::ucb::scale_free()); }

/// The paper's belief under the first rule of its appendix A: the task believed best, another one with probability
/// 0.05.
[[nodiscard]] inline auto dynatune_curves_egreedy() { return detail::dynatune_by_curves(bandit::epsilon_greedy{}); }

/// The paper's belief under the second rule of its appendix A: a random task, with odds that grow exponentially with
/// the expected saving.
[[nodiscard]] inline auto dynatune_curves_softmax() { return detail::dynatune_by_curves(bandit::softmax{}); }

/// DynaTune with the paper's belief and units: rewards in ms, exploration 2, or 0.2 if the model takes less than 1 ms
/// after the warm-up. The paper divides rates by the device's `peak`, in FLOP/s; 0: 1.25 times the best of any task.
[[nodiscard]] inline auto dynatune_paper(double peak = 0)
{
    return detail::dynatune_by_curves([](double latency) { return bandit::ucb::paper(latency); }, peak);
}

}  // namespace tunekit::recipes
