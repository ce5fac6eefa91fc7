// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Affine-invariant ensemble sampling with the moves of emcee, and its diagnostics. For who samples a posterior.

#include "tunekit/mcmc/concepts.hpp"
#include "tunekit/mcmc/diagnostics.hpp"
#include "tunekit/mcmc/differential_evolution.hpp"
#include "tunekit/mcmc/ensemble.hpp"
#include "tunekit/mcmc/gaussian.hpp"
#include "tunekit/mcmc/initial.hpp"
#include "tunekit/mcmc/kde.hpp"
#include "tunekit/mcmc/mixture.hpp"
#include "tunekit/mcmc/r_hat.hpp"
#include "tunekit/mcmc/snooker.hpp"
#include "tunekit/mcmc/state.hpp"
#include "tunekit/mcmc/stretch.hpp"
#include "tunekit/mcmc/view.hpp"
#include "tunekit/mcmc/walk.hpp"
