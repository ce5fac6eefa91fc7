// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Means, quantiles, intervals and tests of samples. For who judges measurements.

#include "tunekit/stats/bootstrap.hpp"
#include "tunekit/stats/expected_excess.hpp"
#include "tunekit/stats/interval.hpp"
#include "tunekit/stats/moments.hpp"
#include "tunekit/stats/normal.hpp"
#include "tunekit/stats/prediction.hpp"
#include "tunekit/stats/quantile.hpp"
#include "tunekit/stats/rank.hpp"
#include "tunekit/stats/student_t.hpp"
