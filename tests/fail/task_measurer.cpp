// expect: tunekit: task, argument 3 is not a measurer: measure
// first lines: tunekit: task, argument 3 is not a measurer: measure
// SPDX-License-Identifier: MIT
#include "tunekit/tune/task.hpp"

#include "parts.hpp"

void mistake()
{
    tk::task t("name", some_space, [](int) { return 1.0; }, 1e9);
}
