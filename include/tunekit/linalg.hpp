// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every public header of linalg/ that needs no more than tunekit does.

#include "tunekit/linalg/elementary.hpp"
#include "tunekit/linalg/lbfgs.hpp"
#include "tunekit/linalg/levenberg_marquardt.hpp"
#include "tunekit/linalg/matrix.hpp"
#include "tunekit/linalg/pack.hpp"
#include "tunekit/linalg/singular_values.hpp"
