// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Matrix products that are divided among the caller's threads.

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/core/executor.hpp"
#include "tunekit/kernels/division.hpp"
#include "tunekit/kernels/gemm/gemm.hpp"

namespace tunekit::kernels {

/// A matrix product made from a configuration, as `gemm_kernel`, whose parts run in parallel on the threads of the
/// caller's executor.
///
///     parallel_gemm kernel(shape, config, kernel_table(), 4);
///     kernel.run(a, b, c, executor);
///
/// By default a batch is divided into its matrices, and one product into blocks of columns, or of rows where there are
/// more of those. A `gemm_division`, for example a point of `gemm_division_space`, says it otherwise. Every element of C
/// is summed in the order of the configuration, so the result is the same for any number of threads.
///
/// Errors:  std::invalid_argument from the constructor for threads < 1, and as `gemm_kernel`.
/// Cost:    that of `gemm_kernel`, with its scratch once per part. Each part packs the operands that it reads.
/// Threads: distinct objects are independent; one object has one `run` at a time.
class parallel_gemm {
public:
    /// Plans the product for at most `threads` parts.
    parallel_gemm(const gemm_shape& shape, const gemm_config& config, const tile_table& table, int threads)
        : parallel_gemm(shape, config, table, threads, dense_strides(shape))
    {
    }

    /// Plans the product for at most `threads` parts.
    parallel_gemm(const gemm_shape& shape, const gemm_config& config, const tile_table& table, int threads,
                  const gemm_strides& strides)
        : parallel_gemm(shape, config, table, gemm_division{.parts = threads}, strides)
    {
    }

    /// Plans the product for this division.
    parallel_gemm(const gemm_shape& shape, const gemm_config& config, const tile_table& table,
                  const gemm_division& division)
        : parallel_gemm(shape, config, table, division, dense_strides(shape))
    {
    }

    /// Plans the product for this division.
    parallel_gemm(const gemm_shape& shape, const gemm_config& config, const tile_table& table,
                  const gemm_division& division, const gemm_strides& strides)
    {
        require_valid(shape);
        const int threads = division.parts;
        require(threads >= 1, "parallel_gemm: threads is " + std::to_string(threads) + ", want >= 1");
        const int nr = (std::max)(1, config.nv * config.vl), mr = (std::max)(1, config.mr);
        gemm_split split = division.split;
        if (split == gemm_split::automatic)
            split = shape.batch > 1                ? gemm_split::batch
                    : shape.n / nr >= shape.m / mr ? gemm_split::columns
                                                   : gemm_split::rows;
        if (split == gemm_split::batch) {
            detail::divide(shape.batch, 1, threads, [&](int begin, int size) {
                gemm_shape s = shape;
                s.batch = size;
                add(s, config, table, strides, begin * strides.batch_a, begin * strides.batch_b,
                    begin * strides.batch_c);
            });
        } else if (split == gemm_split::columns) {
            detail::divide(shape.n, nr, threads, [&](int begin, int size) {
                gemm_shape s = shape;
                s.n = size;
                add(s, config, table, strides, 0, begin, begin);
            });
        } else {
            detail::divide(shape.m, mr, threads, [&](int begin, int size) {
                gemm_shape s = shape;
                s.m = size;
                add(s, config, table, strides, begin * strides.lda, 0, begin * strides.ldc);
            });
        }
    }

    /// The number of parts of the product: at most the number of threads asked for.
    [[nodiscard]] std::size_t parts() const noexcept { return parts_.size(); }

    /// Computes C = A B. Preconditions: as gemm_kernel::run.
    template <core::executor Run>
    void run(const float* a, const float* b, float* c, const Run& executor)
    {
        executor(parts_.size(), [&](std::size_t i) {
            part& p = parts_[i];
            p.kernel.run(a + p.a, b + p.b, c + p.c);
        });
    }

private:
    struct part {
        gemm_kernel kernel;
        std::ptrdiff_t a, b, c;  // where its operands begin
    };

    void add(const gemm_shape& s, const gemm_config& config, const tile_table& table, const gemm_strides& strides,
             std::ptrdiff_t a, std::ptrdiff_t b, std::ptrdiff_t c)
    {
        parts_.push_back({gemm_kernel(s, config, table, strides), a, b, c});
    }

    std::vector<part> parts_;
};

}  // namespace tunekit::kernels
