// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every public header of explore/ that needs no more than tunekit does.

#include "tunekit/explore/annealing.hpp"
#include "tunekit/explore/concepts.hpp"
#include "tunekit/explore/contextual.hpp"
#include "tunekit/explore/policy_gradient.hpp"
