// expect: tunekit: a number, want a generator made of it
// SPDX-License-Identifier: MIT
// first error: tunekit: a number, want a generator made of it
// first lines: fourth_of_tuner
#include "tunekit/tune/tuner.hpp"

#include "parts.hpp"

void mistake() { tk::tuner t(some_space, good_strategy{}, {.trials = 5}, 42); }
