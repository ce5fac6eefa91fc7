// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every header of explore/ that needs no more than tunekit does.

#include "tunekit/explore/activation.hpp"
#include "tunekit/explore/actor_critic.hpp"
#include "tunekit/explore/annealing.hpp"
#include "tunekit/explore/best_list.hpp"
#include "tunekit/explore/concepts.hpp"
#include "tunekit/explore/contextual_annealing.hpp"
#include "tunekit/explore/enumeration.hpp"
#include "tunekit/explore/journey.hpp"
#include "tunekit/explore/policy_gradient.hpp"
#include "tunekit/explore/proximal.hpp"
