// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The words of the core to know first, as docs/words.md has them under "Start here": spaces, ways to measure, `tune`,
/// recipes, and the parts by role. Needs a compiler and nothing else. `tune(space, kernel, budget)`, child processes
/// and programs come with tunekit/processes.hpp.

// space
#include "tunekit/space/any_space.hpp"
#include "tunekit/space/permutation.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/space/split.hpp"
#include "tunekit/space/value_product.hpp"
// measure
#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/function.hpp"
#include "tunekit/measure/in_process.hpp"
#include "tunekit/measure/race.hpp"
#include "tunekit/measure/replay.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/measure/until_confident.hpp"
#include "tunekit/measure/until_stable.hpp"
#include "tunekit/measure/verify.hpp"
// run
#include "tunekit/tune/tasks_tuner.hpp"
#include "tunekit/tune/tune.hpp"
#include "tunekit/tune/tune_tasks.hpp"
#include "tunekit/tune/tuner.hpp"
// recipes
#include "tunekit/recipes/adatune.hpp"
#include "tunekit/recipes/autotvm.hpp"
#include "tunekit/recipes/combined.hpp"
#include "tunekit/recipes/dynatune.hpp"
// parts
#include "tunekit/acquisition/criteria.hpp"
#include "tunekit/bandit.hpp"
#include "tunekit/explore/annealing.hpp"
#include "tunekit/schedule.hpp"
#include "tunekit/screen.hpp"
#include "tunekit/search.hpp"
#include "tunekit/surrogate/boosted_trees.hpp"
#include "tunekit/surrogate/gaussian_process.hpp"
#include "tunekit/surrogate/random_forest.hpp"
#include "tunekit/version.hpp"
