// expect: tunekit: explore, the judge is not a scorer: score\(indices, scores\), predict\(indices, predictions\) or best\(\) is missing or not const
// first error: tunekit: explore, the judge is not a scorer: score\(indices, scores\), predict\(indices, predictions\) or best\(\) is missing or not const
// SPDX-License-Identifier: MIT
#include "tunekit/explore/annealing.hpp"

#include "parts.hpp"

void mistake()
{
    tk::random::philox gen(1);
    const tk::explore::annealing search;
    auto state = search.start(some_space);
    (void)search.explore(
        state, some_space, [](tk::index i) { return -1.0 * static_cast<double>(i); }, tk::space::index_set{}, 8, gen);
}
