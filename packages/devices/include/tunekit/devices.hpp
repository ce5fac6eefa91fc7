// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Kernels of CUDA and OpenCL, compiled and timed through the drivers. For who tunes for a GPU.

#include "tunekit/devices/cuda/builder.hpp"
#include "tunekit/devices/cuda/callable.hpp"
#include "tunekit/devices/cuda/clocks.hpp"
#include "tunekit/devices/cuda/cubin.hpp"
#include "tunekit/devices/cuda/device.hpp"
#include "tunekit/devices/cuda/kernel.hpp"
#include "tunekit/devices/cuda/measurer.hpp"
#include "tunekit/devices/cuda/nvrtc.hpp"
#include "tunekit/devices/cuda/session.hpp"
#include "tunekit/devices/kernel_file.hpp"
#include "tunekit/devices/kernel_pool.hpp"
#include "tunekit/devices/kernel_problem.hpp"
#include "tunekit/devices/library.hpp"
#include "tunekit/devices/measurer.hpp"
#include "tunekit/devices/opencl/builder.hpp"
#include "tunekit/devices/opencl/device.hpp"
#include "tunekit/devices/opencl/measurer.hpp"
#include "tunekit/devices/opencl/session.hpp"
#include "tunekit/devices/operands.hpp"
#include "tunekit/devices/timing.hpp"
