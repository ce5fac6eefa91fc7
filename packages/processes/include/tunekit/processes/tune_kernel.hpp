// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Tuning of a kernel with a measurer that the recipe makes.

#include <type_traits>

#include "tunekit/measure/timed.hpp"
#include "tunekit/measure/verify.hpp"
#include "tunekit/processes/isolated.hpp"
#include "tunekit/tune/tune.hpp"

namespace tunekit {

/// Searches `space` for the fastest configuration of `kernel`. The kernel runs in a child process, as often as the
/// recipe's repetition says, and `check` checks the output of what could win.
///
///     const auto found = tk::tune(space, kernel, tk::recipes::combined(), check, {.trials = 512}, gen);
///
/// It is `tune` over `measure::isolated(space, measure::timed{kernel, how.repetition, check})`. It forks, and throws
/// what these throw. For other options of isolation (canaries, memory), build the measurer yourself. `kernel` and
/// `check` are what `measure::timed` takes.
template <class Space, class Kernel, class S, class R, class D, class Check, generator G>
    requires(!measure::measurer<std::remove_reference_t<Kernel>> && !pool<std::remove_reference_t<Kernel>>)
[[nodiscard]] tuned<Space> tune(const Space& space, Kernel&& kernel, const recipe<S, R, D>& how, const Check& check,
                                const budget& limit, G& gen,
                                const std::type_identity_t<tune_options<Space>>& options = {})
{
    auto measurer = measure::isolated(space, measure::timed{kernel, how.repetition, check});
    return tune(space, measurer, how, limit, gen, options);
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
