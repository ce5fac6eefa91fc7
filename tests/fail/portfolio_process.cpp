// expect: tunekit: portfolio, part 2: not a surrogate::model over features
// first lines: tunekit: portfolio, part 2: not a surrogate::model over features
// SPDX-License-Identifier: MIT
#include "tunekit/search/portfolio.hpp"

#include "parts.hpp"

#include "tunekit/acquisition/criteria.hpp"
#include "tunekit/surrogate/random_forest.hpp"

void mistake() { (void)tk::search::portfolio{tk::surrogate::random_forest{}, tk::acquisition::expected_improvement{}}; }
