// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Strategies, which propose configurations and learn from costs. For who searches one space, or writes a strategy.

#include "tunekit/search/annealing.hpp"
#include "tunekit/search/any_strategy.hpp"
#include "tunekit/search/concepts.hpp"
#include "tunekit/search/forecasts.hpp"
#include "tunekit/search/genetic.hpp"
#include "tunekit/search/grid.hpp"
#include "tunekit/search/hill_climb.hpp"
#include "tunekit/search/idle_parameters.hpp"
#include "tunekit/search/model_guided.hpp"
#include "tunekit/search/outlook.hpp"
#include "tunekit/search/parego.hpp"
#include "tunekit/search/portfolio.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/search/scores.hpp"
