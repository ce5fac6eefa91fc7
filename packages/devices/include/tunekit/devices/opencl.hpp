// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every public header of devices/opencl/ that needs no more than tunekit::devices does.

#include "tunekit/devices/opencl/builder.hpp"
#include "tunekit/devices/opencl/device.hpp"
#include "tunekit/devices/opencl/kernel.hpp"
#include "tunekit/devices/opencl/measurer.hpp"
#include "tunekit/devices/opencl/session.hpp"
