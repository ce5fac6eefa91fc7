// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Policies that share pulls among arms. For who divides a budget.

#include "tunekit/bandit/concepts.hpp"
#include "tunekit/bandit/epsilon_greedy.hpp"
#include "tunekit/bandit/on_means.hpp"
#include "tunekit/bandit/softmax.hpp"
#include "tunekit/bandit/ucb.hpp"
#include "tunekit/bandit/ucb1.hpp"
