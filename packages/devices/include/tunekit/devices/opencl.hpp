// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// OpenCL through its loader. For who has any other device.

#include "tunekit/devices/opencl/builder.hpp"
#include "tunekit/devices/opencl/device.hpp"
#include "tunekit/devices/opencl/measurer.hpp"
#include "tunekit/devices/opencl/session.hpp"
