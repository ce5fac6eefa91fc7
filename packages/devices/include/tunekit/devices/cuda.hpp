// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every public header of measure/cuda/ that needs no more than tunekit does.

#include "tunekit/measure/cuda/builder.hpp"
#include "tunekit/measure/cuda/callable.hpp"
#include "tunekit/measure/cuda/clocks.hpp"
#include "tunekit/measure/cuda/cubin.hpp"
#include "tunekit/measure/cuda/device.hpp"
#include "tunekit/measure/cuda/image.hpp"
#include "tunekit/measure/cuda/kernel.hpp"
#include "tunekit/measure/cuda/library.hpp"
#include "tunekit/measure/cuda/measurer.hpp"
#include "tunekit/measure/cuda/nvrtc.hpp"
#include "tunekit/measure/cuda/operands.hpp"
#include "tunekit/measure/cuda/session.hpp"
#include "tunekit/measure/cuda/source.hpp"
