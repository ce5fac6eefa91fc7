// SPDX-License-Identifier: MIT

// Drives a tuner by hand: your loop asks, measures as it likes, and tells.

#include <cstdio>

#include "tunekit/measure/clocks.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/search/hill_climb.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/tune/tuner.hpp"

namespace tk = tunekit;

int main()
{
    const tk::space::product space{tk::space::powers_of_two<"tile">(1, 256), tk::space::integers<"unroll">(1, 8)};
    tk::tuner t(space, tk::search::hill_climb{}, {.trials = 30}, tk::random::philox(1));
    t.begin_with({0});  // what was used so far
    tk::measure::wall_clock now;
    while (auto job = t.ask()) {
        const auto p = space.at(job->candidate);
        const double start = now();
        volatile double sum = 0;
        for (int i = 0; i < 20000; i += tk::get<"unroll">(p)) sum = sum + 1.0 / (i + tk::get<"tile">(p));
        t.tell(*job, {.cost = now() - start, .runs = 1});
    }
    std::printf("%zu of %llu tried, best %.1f us\n", t.record().trials().size(),
                static_cast<unsigned long long>(space.size()), 1e6 * t.record().best_cost());
    return t.record().found() ? 0 : 1;
}
