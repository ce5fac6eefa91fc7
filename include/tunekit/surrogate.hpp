// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every public header of surrogate/ that needs no more than tunekit does.

#include "tunekit/surrogate/boosted_trees.hpp"
#include "tunekit/surrogate/concepts.hpp"
#include "tunekit/surrogate/gaussian_process.hpp"
#include "tunekit/surrogate/jackknife.hpp"
#include "tunekit/surrogate/process_parameters.hpp"
#include "tunekit/surrogate/random_forest.hpp"
