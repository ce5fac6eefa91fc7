// expect: tunekit: tune, a number, want a budget that says of what: \{\.trials = 40\} or \{\.seconds = 40\}
// first error: tunekit: tune, a number, want a budget that says of what
// SPDX-License-Identifier: MIT
#include "tunekit/processes.hpp"
#include "tunekit/tunekit.hpp"

namespace tk = tunekit;

int main()
{
    const tk::space::product space{tk::space::parameter<"rows">({1, 2})};
    const auto kernel = [](const auto& p) { return 1.0 * tk::get<"rows">(p); };
    return tk::tune(space, kernel, 40).found() ? 0 : 1;
}
