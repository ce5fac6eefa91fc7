// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every public header of screen/ that needs no more than tunekit does.

#include "tunekit/screen/adaptive_sampling.hpp"
#include "tunekit/screen/concepts.hpp"
#include "tunekit/screen/diversity.hpp"
#include "tunekit/screen/epsilon_greedy.hpp"
#include "tunekit/screen/k_means.hpp"
#include "tunekit/screen/keep_best.hpp"
#include "tunekit/screen/point_rows.hpp"
#include "tunekit/screen/screened.hpp"
#include "tunekit/screen/synthesis.hpp"
