// expect: tunekit: get: no parameter of this name
// first error: tunekit: get: no parameter of this name
// SPDX-License-Identifier: MIT
#include "tunekit/processes.hpp"
#include "tunekit/tunekit.hpp"

namespace tk = tunekit;

int main()
{
    const tk::space::product space{tk::space::parameter<"rows">({1, 2})};
    const auto kernel = [](const auto& p) { return 1.0 * tk::get<"rowz">(p); };
    return tk::tune(space, kernel, {.trials = 5}).found() ? 0 : 1;
}
