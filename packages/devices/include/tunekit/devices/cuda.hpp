// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// CUDA through NVRTC and the driver. For who has an NVIDIA GPU.

#include "tunekit/devices/cuda/builder.hpp"
#include "tunekit/devices/cuda/callable.hpp"
#include "tunekit/devices/cuda/clocks.hpp"
#include "tunekit/devices/cuda/cubin.hpp"
#include "tunekit/devices/cuda/device.hpp"
#include "tunekit/devices/cuda/kernel.hpp"
#include "tunekit/devices/cuda/measurer.hpp"
#include "tunekit/devices/cuda/nvrtc.hpp"
#include "tunekit/devices/cuda/session.hpp"
