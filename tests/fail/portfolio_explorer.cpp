// expect: tunekit: portfolio, part 3: not an explore::lists, list\(space, best, gen\) is missing
// first lines: tunekit: portfolio, part 3: not an explore::lists, list\(space, best, gen\) is missing
// SPDX-License-Identifier: MIT
#include "tunekit/search/portfolio.hpp"

#include "parts.hpp"

#include "tunekit/acquisition/criteria.hpp"
#include "tunekit/explore/annealing.hpp"
#include "tunekit/surrogate/random_forest.hpp"

void mistake()
{
    (void)tk::search::portfolio{tk::surrogate::random_forest{}, tk::acquisition::expected_improvement{},
                                tk::explore::annealing{}};
}
