// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every header of tune/ that needs no more than tunekit does.

#include "tunekit/tune/any_schedule.hpp"
#include "tunekit/tune/any_strategy.hpp"
#include "tunekit/tune/budget.hpp"
#include "tunekit/tune/candidate_pool.hpp"
#include "tunekit/tune/concepts.hpp"
#include "tunekit/tune/history.hpp"
#include "tunekit/tune/model_guided.hpp"
#include "tunekit/tune/portfolio.hpp"
#include "tunekit/tune/scores.hpp"
#include "tunekit/tune/step.hpp"
#include "tunekit/tune/task.hpp"
#include "tunekit/tune/trial.hpp"
#include "tunekit/tune/tune.hpp"
#include "tunekit/tune/tune_tasks.hpp"
