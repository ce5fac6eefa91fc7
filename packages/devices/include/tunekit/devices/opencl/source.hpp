// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The OpenCL source of one configuration of a template, and its launches.

#include "tunekit/measure/build/device_source.hpp"

namespace tunekit::measure {

/// One launch of one `__kernel` function. `grid` counts work-groups, `block` the work-items of each. Set `entry`: its
/// default, `kernel`, is a reserved word of OpenCL C. Where `shared_bytes` is not 0, the function's last parameter is a
/// `__local` pointer to that many bytes.
using opencl_launch = device_launch;

/// OpenCL C and its launches. Each entry is a `__kernel`.
using opencl_source = device_source;

}  // namespace tunekit::measure
