// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every public header of measure/device/ that needs no more than tunekit does.

#include "tunekit/devices/admitted.hpp"
#include "tunekit/devices/library.hpp"
#include "tunekit/devices/limits.hpp"
#include "tunekit/devices/operands.hpp"
#include "tunekit/measure/build/device_source.hpp"
#include "tunekit/devices/timing.hpp"
