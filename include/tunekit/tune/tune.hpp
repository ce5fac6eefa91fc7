// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Tuning of one space, from the first configuration to the end of the budget.

#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/tune/budget.hpp"
#include "tunekit/tune/detail/drive.hpp"
#include "tunekit/tune/detail/roles.hpp"
#include "tunekit/tune/detail/seen.hpp"
#include "tunekit/tune/options.hpp"
#include "tunekit/tune/runs_once.hpp"
#include "tunekit/tune/tuned.hpp"
#include "tunekit/tune/tuner.hpp"

namespace tunekit {

/// Searches `space` with the recipe or strategy `how` until the budget ends or the space is exhausted.
///
///     const auto found = tk::tune(space, measure, tk::search::annealing{}, {.trials = 512}, gen);
///     if (found.found()) use(found.best());
///     const auto seen = tk::tune(space, measure, tk::recipes::combined(), {.seconds = 60}, gen,
///                                {.watch = watch, .clock = clock, .begin_with = {space.at(7)}});
///
/// `carrier` is a measurer or a pool. A measurer gets `ahead` configurations of the recipe at a time; a pool is kept
/// full. Of the recipe it uses the strategy, the limits and `ahead`: the measurer decides how often a candidate runs.
/// With `tunekit/processes/tune_kernel.hpp` a kernel may take the measurer's place, and with
/// `tunekit/recipes/combined.hpp` recipe and generator may be left out.
///
/// Errors:     std::invalid_argument for a budget or a parameter out of range; those of `tuner`; whatever the measurer
///             throws. Failures of candidates are data. An empty space or a budget of 0 gives an empty record that says
///             why it stopped.
/// Randomness: only what the strategy draws from `gen`. The generator moves into the run and back at its end, also
///             after an exception.
template <class Space, class Carrier, class P, class G>
[[nodiscard]] tuned<Space> tune(const Space& space, Carrier&& carrier, const P& how, const budget& limit, G&& gen,
                                const std::type_identity_t<tune_options<Space>>& options = {})
{
    if constexpr (detail::fit_tune<Space, Carrier, P, G>()) {
        using strategy = typename detail::parts_of<P>::strategy;
        constexpr bool by_index = detail::by_index<strategy> && !pool<std::remove_reference_t<Carrier>>;
        const auto chosen = [&] {
            if constexpr (by_index) return detail::with_experience(detail::without_parts(how), options.experience);
            else return detail::with_experience(how, options.experience);
        }();
        const auto baseline = options.baseline.in(space, "tune: baseline");
        auto first = detail::first_of(space, options, baseline);
        const bool may_be_worse = options.may_be_worse || !measure::measures_time(carrier);
        if constexpr (by_index) {
            detail::any_measurer measurer(carrier);
            return detail::ended_with(space,
                                      detail::run_over(detail::seen<strategy>(space), measurer, chosen, limit, gen,
                                                       first, {options.watch, options.clock, options.checks}),
                                      baseline, may_be_worse);
        } else {
            detail::borrowed<Space, P, std::remove_reference_t<G>> with(space, chosen, limit, gen);
            with.run.begin_with(std::move(first));
            detail::drive(with.run, carrier, options);
            return detail::ended_with(space, std::move(with.run).record(), baseline, may_be_worse);
        }
    }
}

/// Runs the tuner `t` to its end.
///
///     tk::tuner t(space, tk::recipes::combined(), {.trials = 512}, gen);
///     t.begin_with({space.at(7)});
///     tk::tune(t, measure);
///     use(t.record());
///
/// Any type with tuner's members can be driven, such as `io::logged`.
template <class Tuner, class Carrier>
    requires detail::driven<Tuner> && detail::carries<Carrier>
void tune(Tuner& t, Carrier& carrier, const tune_options<>& options = {})
{
    detail::drive(t, carrier, options);
}

}  // namespace tunekit
