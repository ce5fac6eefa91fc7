// expect: tunekit: model_guided, part 4: not a screen::screen, select\(space, candidates, visited, n, gen\) is missing
// first lines: tunekit: model_guided, part 4: not a screen::screen, select\(space, candidates, visited, n, gen\) is missing
// SPDX-License-Identifier: MIT
#include "tunekit/search/model_guided.hpp"

#include "parts.hpp"

#include "tunekit/acquisition/criteria.hpp"
#include "tunekit/explore/annealing.hpp"
#include "tunekit/surrogate/random_forest.hpp"

struct bad {};

void mistake()
{
    (void)tk::search::model_guided{tk::surrogate::random_forest{}, tk::acquisition::expected_improvement{},
                                   tk::explore::annealing{}, bad{}};
}
