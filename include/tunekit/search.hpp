// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every header of search/ that needs no more than tunekit does.

#include "tunekit/search/annealing.hpp"
#include "tunekit/search/genetic.hpp"
#include "tunekit/search/grid.hpp"
#include "tunekit/search/hill_climb.hpp"
#include "tunekit/search/random.hpp"
