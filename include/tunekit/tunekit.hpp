// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Everything but kernels/, generated code, CUDA and OpenCL, for first tries. Programs that care for their compile time include what they use.

#include "tunekit/acquisition.hpp"
#include "tunekit/bandit.hpp"
#include "tunekit/core.hpp"
#include "tunekit/curve.hpp"
#include "tunekit/dispatch.hpp"
#include "tunekit/explore.hpp"
#include "tunekit/io.hpp"
#include "tunekit/linalg.hpp"
#include "tunekit/mcmc.hpp"
#include "tunekit/measure.hpp"
#include "tunekit/online.hpp"
#include "tunekit/random.hpp"
#include "tunekit/recipes.hpp"
#include "tunekit/report.hpp"
#include "tunekit/schedule.hpp"
#include "tunekit/screen.hpp"
#include "tunekit/search.hpp"
#include "tunekit/space.hpp"
#include "tunekit/stats.hpp"
#include "tunekit/surrogate.hpp"
#include "tunekit/tune.hpp"
#include "tunekit/version.hpp"
