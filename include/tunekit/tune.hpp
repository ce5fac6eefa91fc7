// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Runs: a strategy, a measurer and a budget brought together, over one space or several. For who starts a run or
/// drives one.

#include "tunekit/tune/budget.hpp"
#include "tunekit/tune/gain_rate.hpp"
#include "tunekit/tune/options.hpp"
#include "tunekit/tune/recipe.hpp"
#include "tunekit/tune/runs_once.hpp"
#include "tunekit/tune/task.hpp"
#include "tunekit/tune/tasks_tuner.hpp"
#include "tunekit/tune/tune.hpp"
#include "tunekit/tune/tune_tasks.hpp"
#include "tunekit/tune/tuned.hpp"
#include "tunekit/tune/tuner.hpp"
#include "tunekit/tune/tuning.hpp"
#include "tunekit/tune/verdict.hpp"
