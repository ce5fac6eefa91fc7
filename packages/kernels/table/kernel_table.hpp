// SPDX-License-Identifier: MIT
#pragma once

#include "tunekit/kernels/table.hpp"

/// The micro-kernels of kernel_table/, for the machine that it was compiled on.
const tunekit::kernels::tile_table& kernel_table();
