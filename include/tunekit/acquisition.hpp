// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every public header of acquisition/ that needs no more than tunekit does.

#include "tunekit/acquisition/concepts.hpp"
#include "tunekit/acquisition/criteria.hpp"
