// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every public header of bandit/ that needs no more than tunekit does.

#include "tunekit/bandit/concepts.hpp"
#include "tunekit/bandit/epsilon_greedy.hpp"
#include "tunekit/bandit/on_means.hpp"
#include "tunekit/bandit/softmax.hpp"
#include "tunekit/bandit/ucb.hpp"
#include "tunekit/bandit/ucb1.hpp"
