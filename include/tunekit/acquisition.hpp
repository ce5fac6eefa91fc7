// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Criteria that weigh a mean against its uncertainty. For who chooses the next candidate from a model.

#include "tunekit/acquisition/concepts.hpp"
#include "tunekit/acquisition/criteria.hpp"
