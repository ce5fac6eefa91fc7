// expect: tunekit: model_guided, part 1: not a surrogate::model over features
// first lines: tunekit: model_guided, part 1: not a surrogate::model over features
// SPDX-License-Identifier: MIT
#include "tunekit/search/model_guided.hpp"

#include "parts.hpp"

#include "tunekit/acquisition/criteria.hpp"
#include "tunekit/surrogate/random_forest.hpp"

void mistake()
{
    (void)tk::search::model_guided{tk::acquisition::expected_improvement{}, tk::surrogate::random_forest{}, 0, 0};
}
