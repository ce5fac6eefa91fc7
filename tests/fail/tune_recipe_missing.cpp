// expect: tunekit: tune\(space, kernel, budget\) runs the kernel in a child process: include tunekit/processes\.hpp
// first error: tunekit: tune\(space, kernel, budget\) runs the kernel in a child process: include tunekit/processes\.hpp
// SPDX-License-Identifier: MIT
#include "tunekit/tune/tune.hpp"

#include "parts.hpp"

void mistake()
{
    const auto found = tk::tune(some_space, [](const auto& p) { return 1.0 * tk::get<"x">(p); }, {.trials = 5});
    (void)found;
}
