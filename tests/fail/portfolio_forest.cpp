// expect: tunekit: portfolio, part 1: not a surrogate::model over features
// first lines: tunekit: portfolio, part 1: not a surrogate::model over features
// SPDX-License-Identifier: MIT
#include "tunekit/search/portfolio.hpp"

#include "parts.hpp"

#include "tunekit/acquisition/criteria.hpp"
#include "tunekit/surrogate/gaussian_process.hpp"

void mistake()
{
    (void)tk::search::portfolio{tk::acquisition::expected_improvement{}, tk::surrogate::gaussian_process{}};
}
