// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every header of acquisition/ that needs no more than tunekit does.

#include "tunekit/acquisition/concepts.hpp"
#include "tunekit/acquisition/confidence_bound.hpp"
#include "tunekit/acquisition/expected_improvement.hpp"
#include "tunekit/acquisition/mean.hpp"
#include "tunekit/acquisition/probability_of_improvement.hpp"
