// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every header of bandit/ that needs no more than tunekit does.

#include "tunekit/bandit/concepts.hpp"
