// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every header of kernels/ that needs no more than tunekit does.

#include "tunekit/kernels/shapes.hpp"
#include "tunekit/kernels/workloads.hpp"
