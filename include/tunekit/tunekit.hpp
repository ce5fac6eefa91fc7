// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What a first program needs of the core: a space, ways to measure, `tune` and the recommended recipe. docs/words.md
/// has the header of each word to start with. Needs a compiler and nothing else. `tune(space, kernel, budget)`, child
/// processes and programs come with tunekit/processes.hpp.

// space
#include "tunekit/space/any_space.hpp"
#include "tunekit/space/product.hpp"
// measure
#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/function.hpp"
#include "tunekit/measure/in_process.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/measure/until_confident.hpp"
#include "tunekit/measure/until_stable.hpp"
#include "tunekit/measure/verify.hpp"
// run
#include "tunekit/tune/tune.hpp"
#include "tunekit/tune/tuner.hpp"
// recipe and strategies
#include "tunekit/recipes/combined.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/search/hill_climb.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/version.hpp"
