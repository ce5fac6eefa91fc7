// SPDX-License-Identifier: MIT
#pragma once

// What the listings of docs/kernels.md speak of.

#include <vector>

#include "packages/kernels/table/kernel_table.hpp"
#include "packages/kernels/table/product_tables.hpp"
#include "tests/hygiene/listings/listed.hpp"
#include "tunekit/core/executor.hpp"
#include "tunekit/kernels/gemm/gemm.hpp"
#include "tunekit/kernels/gemm/parallel.hpp"
#include "tunekit/kernels/gemm/space.hpp"
#include "tunekit/records/read_log.hpp"

namespace tk = tunekit;

namespace kernels {

using listed::gen;

inline const auto shape = tk::kernels::square_conv2d(64, 56, 64, 3, 1, 1);
inline const tk::kernels::gemm_shape matrices{.m = 64, .n = 64, .k = 64};
inline const std::vector<float> weights(64 * 64 * 9);
inline const tk::core::detail::serial_executor executor;
inline std::vector<float> x, y, blocked_x, blocked_y, a, b, c;
inline const std::vector<tk::kernels::bfloat16> left, right;

}  // namespace kernels
