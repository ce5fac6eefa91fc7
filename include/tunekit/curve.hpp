// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Beliefs of a tuning curve, and forecasts of what more trials will gain. For who schedules several tasks.

#include "tunekit/curve/belief.hpp"
#include "tunekit/curve/concepts.hpp"
#include "tunekit/curve/families/log_power.hpp"
#include "tunekit/curve/family.hpp"
#include "tunekit/curve/fit.hpp"
#include "tunekit/curve/improvements.hpp"
#include "tunekit/curve/posterior.hpp"
#include "tunekit/curve/segment.hpp"
