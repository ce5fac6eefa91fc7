// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every public header of search/ that needs no more than tunekit does.

#include "tunekit/search/annealing.hpp"
#include "tunekit/search/any_strategy.hpp"
#include "tunekit/search/concepts.hpp"
#include "tunekit/search/forecasts.hpp"
#include "tunekit/search/genetic.hpp"
#include "tunekit/search/grid.hpp"
#include "tunekit/search/hill_climb.hpp"
#include "tunekit/search/model_guided.hpp"
#include "tunekit/search/parego.hpp"
#include "tunekit/search/portfolio.hpp"
#include "tunekit/search/portfolio_options.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/search/scores.hpp"
