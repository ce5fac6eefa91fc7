// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Searches over what a model predicts: annealing, contextual annealing, a policy gradient. For who cannot score a
/// whole space.

#include "tunekit/explore/annealing.hpp"
#include "tunekit/explore/concepts.hpp"
#include "tunekit/explore/contextual.hpp"
#include "tunekit/explore/policy_gradient.hpp"
