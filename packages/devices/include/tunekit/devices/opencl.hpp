// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every public header of measure/opencl/ that needs no more than tunekit does.

#include "tunekit/measure/opencl/builder.hpp"
#include "tunekit/measure/opencl/code.hpp"
#include "tunekit/measure/opencl/device.hpp"
#include "tunekit/measure/opencl/kernel.hpp"
#include "tunekit/measure/opencl/library.hpp"
#include "tunekit/measure/opencl/measurer.hpp"
#include "tunekit/measure/opencl/operands.hpp"
#include "tunekit/measure/opencl/session.hpp"
#include "tunekit/measure/opencl/source.hpp"
