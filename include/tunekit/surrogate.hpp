// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Models of cost that also say how sure they are: forests, boosted trees, Gaussian processes. For who predicts.

#include "tunekit/surrogate/boosted_trees.hpp"
#include "tunekit/surrogate/concepts.hpp"
#include "tunekit/surrogate/gaussian_process.hpp"
#include "tunekit/surrogate/jackknife.hpp"
#include "tunekit/surrogate/process_parameters.hpp"
#include "tunekit/surrogate/random_forest.hpp"
#include "tunekit/surrogate/validity.hpp"
