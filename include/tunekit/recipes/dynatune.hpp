// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// DynaTune's schedule and its variants, with forecasts from improvements. They need no Eigen.

#include "tunekit/bandit/epsilon_greedy.hpp"
#include "tunekit/bandit/softmax.hpp"
#include "tunekit/bandit/ucb.hpp"
#include "tunekit/curve/improvements.hpp"
#include "tunekit/schedule/by_belief.hpp"
#include "tunekit/schedule/early_stop.hpp"

namespace tunekit::recipes {

namespace detail {

template <class Bandit>
[[nodiscard]] auto dynatune_by_improvements(Bandit bandit)
{
    return schedule::early_stop{
        schedule::by_belief{curve::improvement_process{}, bandit, {.reward = curve::gain::expected}}};
}

}  // namespace detail

/// DynaTune's rule, with a belief whose intervals hold what they say and an index that does not depend on the unit of
/// time. The next slot goes to the task with the highest bound on what a slot will save. The forecast uses how often
/// the task's curve rose and by how much. Tasks without improvement in 200 trials are paused.
///
///     auto plan = tune_tasks(tasks, search::annealing{}, recipes::dynatune(), {.seconds = 600}, gen);
///
/// Source:     Zhang et al. (2021), DynaTune, ICLR.
/// Departures: `curve::improvement_process` for the paper's curves, whose 90 % intervals hold 12 to 19 % of what comes
///             and whose expected gains rank tasks worse (docs/curves.md); rewards are divided by the largest one
///             before the bonus is added. `dynatune_curves.hpp` has the paper's belief, and its milliseconds, too.
[[nodiscard]] inline auto dynatune() { return detail::dynatune_by_improvements(bandit::ucb::scale_free()); }

/// The rule of the paper's appendix A, by improvements: the task believed best, another one with probability 0.05.
[[nodiscard]] inline auto dynatune_egreedy() { return detail::dynatune_by_improvements(bandit::epsilon_greedy{}); }

/// The softmax rule of the paper's appendix A, by improvements: a random task, with odds that grow exponentially with
/// the expected saving.
[[nodiscard]] inline auto dynatune_softmax() { return detail::dynatune_by_improvements(bandit::softmax{}); }

}  // namespace tunekit::recipes
