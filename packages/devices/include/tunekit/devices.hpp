// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every public header of measure/device/ that needs no more than tunekit does.

#include "tunekit/measure/device/admitted.hpp"
#include "tunekit/measure/device/library.hpp"
#include "tunekit/measure/device/limits.hpp"
#include "tunekit/measure/device/operands.hpp"
#include "tunekit/measure/device/source.hpp"
#include "tunekit/measure/device/timing.hpp"
