// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Dense matrices as the models need them: factorisations, L-BFGS, Levenberg-Marquardt. For who fits a model.

#include "tunekit/linalg/elementary.hpp"
#include "tunekit/linalg/lbfgs.hpp"
#include "tunekit/linalg/levenberg_marquardt.hpp"
#include "tunekit/linalg/matrix.hpp"
#include "tunekit/linalg/singular_values.hpp"
