// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every header of surrogate/ that needs no more than tunekit does.

#include "tunekit/surrogate/concepts.hpp"
