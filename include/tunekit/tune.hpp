// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every public header of tune/ that needs no more than tunekit does.

#include "tunekit/tune/budget.hpp"
#include "tunekit/tune/gain_rate.hpp"
#include "tunekit/tune/options.hpp"
#include "tunekit/tune/recipe.hpp"
#include "tunekit/tune/stop_on_signal.hpp"
#include "tunekit/tune/task.hpp"
#include "tunekit/tune/tasks_tuner.hpp"
#include "tunekit/tune/tune.hpp"
#include "tunekit/tune/tune_kernel.hpp"
#include "tunekit/tune/tune_tasks.hpp"
#include "tunekit/tune/tuned.hpp"
#include "tunekit/tune/tuner.hpp"
#include "tunekit/tune/tuning.hpp"
