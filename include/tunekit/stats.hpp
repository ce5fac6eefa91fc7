// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every header of stats/ that needs no more than tunekit does.

#include "tunekit/stats/prediction.hpp"
