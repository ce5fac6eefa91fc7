// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every header of curve/ that needs no more than tunekit does.

#include "tunekit/curve/belief.hpp"
#include "tunekit/curve/concepts.hpp"
#include "tunekit/curve/fallback.hpp"
#include "tunekit/curve/family.hpp"
#include "tunekit/curve/fit.hpp"
#include "tunekit/curve/gain.hpp"
#include "tunekit/curve/growth.hpp"
#include "tunekit/curve/log_power.hpp"
#include "tunekit/curve/logarithmic.hpp"
#include "tunekit/curve/posterior.hpp"
#include "tunekit/curve/power.hpp"
#include "tunekit/curve/records.hpp"
#include "tunekit/curve/segment.hpp"
