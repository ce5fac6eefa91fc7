// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// DynaTune's schedule and its variants.

#include "tunekit/bandit/epsilon_greedy.hpp"
#include "tunekit/bandit/softmax.hpp"
#include "tunekit/bandit/ucb.hpp"
#include "tunekit/curve/belief.hpp"
#include "tunekit/curve/records.hpp"
#include "tunekit/schedule/by_belief.hpp"
#include "tunekit/schedule/early_stop.hpp"

namespace tunekit::recipes {

namespace detail {

template <class Bandit>
[[nodiscard]] auto dynatune_by_curves(Bandit bandit, double slot_seconds)
{
    return schedule::early_stop{schedule::by_belief{curve::belief<>{}, bandit, {.slot_seconds = slot_seconds}}};
}

template <class Bandit>
[[nodiscard]] auto dynatune_by_records(Bandit bandit, double slot_seconds)
{
    return schedule::early_stop{
        schedule::by_belief{curve::record_process{}, bandit, {.slot_seconds = slot_seconds, .reward = curve::gain::expected}}};
}

}  // namespace detail

/// DynaTune's rule with a belief that covers and an index that no unit of time can change: slots to the task with the highest
/// bound on what a slot will save, forecast from how often its curve rose and by how much; tasks without improvement in 200
/// trials step back.
///
///     auto plan = tune_tasks(tasks, recipes::adatune(), recipes::dynatune(budget.slot(tasks.size())), budget, gen);
///
/// Source:     Zhang et al. (2021), DynaTune, ICLR.
/// Departures: `curve::record_process` for the paper's curves, whose 90 % intervals hold 12 to 18 % of what comes and whose
///             expected gains rank tasks worse (docs/curves.md); rewards are divided by the largest one before the bonus is
///             added. `dynatune_curves` has the paper's belief, `dynatune_paper` its milliseconds, too.
[[nodiscard]] inline auto dynatune(double slot_seconds)
{
    return detail::dynatune_by_records(bandit::ucb::scale_free(), slot_seconds);
}

/// The paper's belief, piecewise log power curves and ensemble MCMC, under the index without units.
[[nodiscard]] inline auto dynatune_curves(double slot_seconds)
{
    return detail::dynatune_by_curves(bandit::ucb::scale_free(), slot_seconds);
}

/// The paper's belief and units: rewards in milliseconds, exploration 2, or 0.2 where the model takes less than 1 ms after the
/// warm-up.
[[nodiscard]] inline auto dynatune_paper(double slot_seconds = 100)
{
    return detail::dynatune_by_curves([](double latency) { return bandit::ucb::paper(latency); }, slot_seconds);
}

/// The paper's appendix A, by records: the best believed task, another one with probability 0.05.
[[nodiscard]] inline auto dynatune_egreedy(double slot_seconds)
{
    return detail::dynatune_by_records(bandit::epsilon_greedy{}, slot_seconds);
}

/// The paper's appendix A, by records: by lot, with odds that grow exponentially with the expected saving.
[[nodiscard]] inline auto dynatune_softmax(double slot_seconds)
{
    return detail::dynatune_by_records(bandit::softmax{}, slot_seconds);
}

}  // namespace tunekit::recipes
