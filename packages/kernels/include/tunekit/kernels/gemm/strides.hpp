// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Where the matrices of a product lie in memory.

#include <cstddef>

#include "tunekit/kernels/shapes.hpp"

namespace tunekit::kernels {

/// Distances in elements between rows, and between the matrices of a batch.
struct gemm_strides {
    std::ptrdiff_t lda = 0, ldb = 0, ldc = 0;              ///< from row to row
    std::ptrdiff_t batch_a = 0, batch_b = 0, batch_c = 0;  ///< from matrix to matrix
};

/// The strides of dense row-major matrices.
[[nodiscard]] constexpr gemm_strides dense_strides(const gemm_shape& s) noexcept
{
    return {.lda = s.k,
            .ldb = s.n,
            .ldc = s.n,
            .batch_a = std::ptrdiff_t{s.m} * s.k,
            .batch_b = std::ptrdiff_t{s.k} * s.n,
            .batch_c = std::ptrdiff_t{s.m} * s.n};
}

}  // namespace tunekit::kernels
