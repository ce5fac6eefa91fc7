// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The shortest call: a kernel in a child process, by the recommended recipe.

#include "tunekit/processes/tune_kernel.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/recipes/combined.hpp"

namespace tunekit {

/// Searches `space` for the fastest configuration of `kernel` by `recipes::combined()`, with seed 0 and the kernel in a
/// child process.
///
///     const auto found = tk::tune(space, kernel, {.trials = 40});
///     use(found.best());
///
/// It is `tune(space, kernel, recipes::combined(), limit, gen)`, whose errors it has.
template <space::counted Space, class Kernel>
[[nodiscard]] tuned<Space> tune(const Space& space, Kernel&& kernel, const budget& limit)
{
    random::philox gen(0);
    return tune(space, kernel, recipes::combined(), limit, gen);
}

}  // namespace tunekit
