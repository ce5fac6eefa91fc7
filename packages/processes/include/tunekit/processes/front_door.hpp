// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The shortest call: a kernel in a child process, by the recommended recipe.

#include <type_traits>

#include "tunekit/processes/tune_kernel.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/recipes/combined.hpp"

namespace tunekit {

/// Searches `space` for the fastest configuration of `kernel` by `recipes::combined()`, with seed 0 and the kernel in a
/// child process.
///
///     const auto found = tk::tune(space, kernel, {.trials = 40});
///     const auto gain = tk::tune(space, kernel, {.seconds = 60}, {.baseline = space.at(7)});
///     std::puts(tk::to_text(gain).c_str());
///
/// It is `tune(space, kernel, recipes::combined(), limit, gen, options)`, whose errors it has.
template <space::counted Space, class Kernel>
[[nodiscard]] tuned<Space> tune(const Space& space, Kernel&& kernel, const budget& limit,
                                const std::type_identity_t<tune_options<Space>>& options = {})
{
    // Asked here, so that what is wrong inside the kernel is told before what stands around it.
    [[maybe_unused]] constexpr bool called = requires { kernel(space.at(index{0})); };
    random::philox gen(0);
    return tune(space, kernel, recipes::combined(), limit, gen, options);
}

/// Says what a budget is.
template <space::counted Space, class Kernel, class Number>
    requires std::is_arithmetic_v<Number>
tuned<Space> tune(const Space&, Kernel&&, Number)
{
    static_assert(!std::is_arithmetic_v<Number>,
                  "tunekit: tune, a number, want a budget that says of what: {.trials = 40} or {.seconds = 40}");
}

}  // namespace tunekit
