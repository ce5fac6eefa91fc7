// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every header of explore/ that needs no more than tunekit does.

#include "tunekit/explore/annealing.hpp"
#include "tunekit/explore/best_list.hpp"
#include "tunekit/explore/concepts.hpp"
#include "tunekit/explore/contextual_annealing.hpp"
