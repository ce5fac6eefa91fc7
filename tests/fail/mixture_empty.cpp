// expect: tunekit: mixture: no move, want one or more
// first lines: tunekit: mixture: no move, want one or more
// SPDX-License-Identifier: MIT
#include "tunekit/mcmc/mixture.hpp"

#include "parts.hpp"

void mistake() { (void)tk::mcmc::mixture<>{}; }
