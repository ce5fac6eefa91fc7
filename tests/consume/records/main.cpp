// SPDX-License-Identifier: MIT
// main LOG: a kernel in a child process, with a log, and what the log says.
#include "tunekit/records.hpp"

#include <cstdio>

#include "tunekit/measure/timed.hpp"
#include "tunekit/processes/isolated.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/version.hpp"

namespace tk = tunekit;

int main(int, char** argv)
{
    const tk::space::product space{tk::space::integers<"n">(1, 99)};
    const auto kernel = [](const auto& p) {
        for (volatile int i = 0; i < 1000 * tk::get<"n">(p);) i = i + 1;
    };
    auto measurer = tk::measure::isolated(space, tk::measure::timed{kernel});
    (void)tk::io::logged_run(argv[1], space, measurer, tk::search::random{}, {.trials = 5}, {.resume = true});
    std::printf("tunekit %d: %zu trials in the log\n", TUNEKIT_VERSION, tk::io::read_log(argv[1]).trials.size());
}
