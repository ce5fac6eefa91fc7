// expect: tunekit: model_guided, part 1: not a surrogate::model over features
// first lines: tunekit: model_guided, part 1: not a surrogate::model over features
// SPDX-License-Identifier: MIT
#include "tunekit/search/model_guided.hpp"

#include "parts.hpp"

struct bad {};

void mistake() { (void)tk::search::model_guided{bad{}, 0, 0, 0}; }
