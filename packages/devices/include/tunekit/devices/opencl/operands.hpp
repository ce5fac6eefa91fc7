// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The arguments of an OpenCL kernel, and the check of its outputs.

#include "tunekit/devices/opencl/session.hpp"
#include "tunekit/devices/operands.hpp"

namespace tunekit::measure {

/// The arguments of an OpenCL kernel, in its order.
using opencl_operands = device_operands<opencl_session>;

/// A check for `timed`. It poisons the outputs before the run that is checked, and compares them after it.
using opencl_check = device_check<opencl_session>;

}  // namespace tunekit::measure
