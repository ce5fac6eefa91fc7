// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The arguments of a CUDA kernel, and the check of its outputs.

#include "tunekit/devices/cuda/session.hpp"
#include "tunekit/devices/operands.hpp"

namespace tunekit::measure {

/// The arguments of a CUDA kernel, in its order.
using cuda_operands = device_operands<cuda_session>;

/// A check for `timed`. It poisons the outputs before the run that is checked, and compares them after it.
using cuda_check = device_check<cuda_session>;

}  // namespace tunekit::measure
