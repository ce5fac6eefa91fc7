// expect: tunekit: a kernel: tunekit/processes/tune_kernel\.hpp
// SPDX-License-Identifier: MIT
// first error: tunekit: a kernel: tunekit/processes/tune_kernel\.hpp
// first lines: second_of_tune
#include "tunekit/tune/tune.hpp"

#include "parts.hpp"

void mistake()
{
    tk::random::philox gen(1);
    (void)tk::tune(
        some_space, [](const auto& p) { return 1.0 * tk::get<"x">(p); }, good_strategy{}, {.trials = 5}, gen);
}
