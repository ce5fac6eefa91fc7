// expect: tunekit: tuner, argument 4 is a number, want a generator made of it
// first lines: tunekit: tuner, argument 4 is a number, want a generator made of it
// SPDX-License-Identifier: MIT
#include "tunekit/tune/tuner.hpp"

#include "parts.hpp"

void mistake() { tk::tuner t(some_space, good_strategy{}, {.trials = 5}, 42); }
