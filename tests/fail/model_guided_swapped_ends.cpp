// expect: tunekit: model_guided, part 3: not an explore::explorer, start\(space\) is missing
// first lines: tunekit: model_guided, part 3: not an explore::explorer, start\(space\) is missing
// SPDX-License-Identifier: MIT
#include "tunekit/search/model_guided.hpp"

#include "parts.hpp"

#include "tunekit/acquisition/criteria.hpp"
#include "tunekit/explore/annealing.hpp"
#include "tunekit/screen/keep_best.hpp"
#include "tunekit/surrogate/random_forest.hpp"

void mistake()
{
    (void)tk::search::model_guided{tk::surrogate::random_forest{}, tk::acquisition::expected_improvement{},
                                   tk::screen::keep_best{}, tk::explore::annealing{}};
}
