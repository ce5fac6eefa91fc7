// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Schedules, which give the next time slot to one of several tasks. For who tunes the operators of a model.

#include "tunekit/schedule/ansor.hpp"
#include "tunekit/schedule/any_schedule.hpp"
#include "tunekit/schedule/by_belief.hpp"
#include "tunekit/schedule/concepts.hpp"
#include "tunekit/schedule/early_stop.hpp"
#include "tunekit/schedule/linear.hpp"
#include "tunekit/schedule/random.hpp"
#include "tunekit/schedule/round_robin.hpp"
#include "tunekit/schedule/sequential.hpp"
