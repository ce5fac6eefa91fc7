// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The CUDA source of one configuration of a template, and its launches.

#include "tunekit/measure/build/device_source.hpp"

namespace tunekit::measure {

/// One launch of one `__global__` function; `shared_bytes` is its `extern __shared__` array.
using cuda_launch = device_launch;

/// CUDA C++ without includes, and its launches. Each entry is `extern "C" __global__`.
using cuda_source = device_source;

}  // namespace tunekit::measure
