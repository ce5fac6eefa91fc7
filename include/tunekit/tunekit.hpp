// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Everything, for examples and first tries. Programs that care for their compile time include what they use.

#include "tunekit/core.hpp"
#include "tunekit/random.hpp"
#include "tunekit/stats.hpp"
#include "tunekit/linalg.hpp"
#include "tunekit/space.hpp"
#include "tunekit/measure.hpp"
#include "tunekit/search.hpp"
#include "tunekit/bandit.hpp"
#include "tunekit/mcmc.hpp"
#include "tunekit/curve.hpp"
#include "tunekit/surrogate.hpp"
#include "tunekit/acquisition.hpp"
#include "tunekit/explore.hpp"
#include "tunekit/screen.hpp"
#include "tunekit/schedule.hpp"
#include "tunekit/tune.hpp"
#include "tunekit/recipes.hpp"
#include "tunekit/io.hpp"
#include "tunekit/kernels.hpp"
#include "tunekit/version.hpp"
