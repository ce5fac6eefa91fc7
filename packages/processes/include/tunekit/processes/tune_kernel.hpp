// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Tuning of a kernel with a measurer that the recipe makes.

#include <optional>
#include <type_traits>

#include "tunekit/measure/timed.hpp"
#include "tunekit/measure/verify.hpp"
#include "tunekit/processes/isolated.hpp"
#include "tunekit/tune/budget.hpp"
#include "tunekit/tune/tune.hpp"
#include "tunekit/tune/verdict.hpp"

namespace tunekit {

#if TUNEKIT_FORKS
namespace detail {

/// How a run over a kernel ends.
struct kernel_end {
    double seconds = forever;   ///< of the run's budget
    double run_seconds = 10;    ///< of a candidate
    bool race = true;           ///< whether it ends with a race
    bool may_be_worse = false;  ///< see `concluded`

    /// The budget of the search.
    [[nodiscard]] budget search_of(budget of_run) const;
    /// Races the best of `record` and the baseline in fresh workers, and says what the run ends with.
    [[nodiscard]] verdict verdict_on(tuning& record, std::optional<index> baseline,
                                     measure::detail::isolated_measurer& measurer) const;
};

}  // namespace detail
#endif

/// Searches `space` for the fastest configuration of `kernel`. The kernel runs in a child process, as often as the
/// recipe's repetition says, and `check` checks the output of what could win.
///
///     const auto found = tk::tune(space, kernel, tk::recipes::combined(), check, {.trials = 512}, gen);
///
/// It is `tune` over `measure::isolated(space, measure::timed{kernel, how.repetition, check})`, and at its end the best
/// configurations and the baseline race (`final_race`), in a fresh worker each round: `found.verdict()` says what may
/// be said of the best. A run that the watch ended is not raced. It forks, and throws what these throw. For other
/// options of isolation (canaries, memory), build the measurer yourself. `kernel` and `check` are what `measure::timed`
/// takes.
template <class Space, class Kernel, class S, class R, class D, class Check, generator G>
    requires(!measure::measurer<std::remove_reference_t<Kernel>> && !pool<std::remove_reference_t<Kernel>>)
[[nodiscard]] tuned<Space> tune(const Space& space, Kernel&& kernel, const recipe<S, R, D>& how, const Check& check,
                                const budget& limit, G& gen,
                                const std::type_identity_t<tune_options<Space>>& options = {})
{
    auto measurer = measure::isolated(space, measure::timed{kernel, how.repetition, check});
#if TUNEKIT_FORKS
    const detail::kernel_end end{limit.seconds, how.limits.max_run_seconds, options.race, options.may_be_worse};
    auto found = tune(space, measurer, how, end.search_of(limit), gen, options);
    found.conclude(end.verdict_on(found, found.baseline(), measurer));
    return found;
#else
    return tune(space, measurer, how, limit, gen, options);
#endif
}

/// The same without a check: the kernel's results are assumed to be right.
template <class Space, class Kernel, class S, class R, class D, generator G>
    requires(!measure::measurer<std::remove_reference_t<Kernel>> && !pool<std::remove_reference_t<Kernel>>)
[[nodiscard]] tuned<Space> tune(const Space& space, Kernel&& kernel, const recipe<S, R, D>& how, const budget& limit,
                                G& gen, const std::type_identity_t<tune_options<Space>>& options = {})
{
    return tune(space, kernel, how, measure::no_check{}, limit, gen, options);
}

}  // namespace tunekit
