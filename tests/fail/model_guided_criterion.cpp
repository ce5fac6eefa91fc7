// expect: tunekit: model_guided, part 2: not an acquisition::criterion
// first lines: tunekit: model_guided, part 2: not an acquisition::criterion
// SPDX-License-Identifier: MIT
#include "tunekit/search/model_guided.hpp"

#include "parts.hpp"

#include "tunekit/surrogate/random_forest.hpp"

struct bad {};

void mistake() { (void)tk::search::model_guided{tk::surrogate::random_forest{}, bad{}, 0, 0}; }
