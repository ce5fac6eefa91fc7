// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every public header of schedule/ that needs no more than tunekit does.

#include "tunekit/schedule/ansor.hpp"
#include "tunekit/schedule/any_schedule.hpp"
#include "tunekit/schedule/by_belief.hpp"
#include "tunekit/schedule/concepts.hpp"
#include "tunekit/schedule/early_stop.hpp"
#include "tunekit/schedule/linear.hpp"
#include "tunekit/schedule/random.hpp"
#include "tunekit/schedule/round_robin.hpp"
#include "tunekit/schedule/sequential.hpp"
