// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Matrix products that are divided among the caller's threads.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/core/executor.hpp"
#include "tunekit/kernels/division.hpp"
#include "tunekit/kernels/gemm/gemm.hpp"

namespace tunekit::kernels {

/// A matrix product made from a configuration, as `gemm_kernel`, whose parts run in parallel on the threads of
/// the caller's executor.
///
///     parallel_gemm kernel(shape, config, kernel_table(), 4);
///     kernel.run(a, b, c, executor);
///
/// By default a batch is divided into its matrices, and one product into blocks of columns, or of rows where there are
/// more of those. A `gemm_division`, for example a point of `gemm_space` for several threads, says it otherwise. Every
/// element of C is summed in the order of the configuration, so the result is the same for any number of threads.
///
/// Errors:  std::invalid_argument from the constructor for fewer than one part, and as `gemm_kernel`.
/// Cost:    that of `gemm_kernel`, with its scratch once per part. Each part packs the operands that it reads.
/// Threads: distinct objects are independent; one object has one `run` at a time.
template <class Format = formats::fp32>
class parallel_gemm {
public:
    using left = typename Format::left;                        ///< of A
    using right = typename Format::right;                      ///< of B
    using sum = typename Format::sum;                          ///< of C
    using serial = gemm_kernel<Format>;                        ///< the same on one thread
    using tile_table_type = detail::product_table_of<Format>;  ///< the micro-kernels

    /// Plans the product for at most `threads` parts.
    parallel_gemm(const gemm_shape& shape, const gemm_config& config, const tile_table_type& table, int threads)
        : parallel_gemm(shape, config, table, threads, gemm_strides::dense(shape))
    {
    }

    /// Plans the product for at most `threads` parts.
    parallel_gemm(const gemm_shape& shape, const gemm_config& config, const tile_table_type& table, int threads,
                  const gemm_strides& strides)
        : parallel_gemm(shape, config, table, gemm_division{.parts = threads}, strides)
    {
    }

    /// Plans the product for this division.
    parallel_gemm(const gemm_shape& shape, const gemm_config& config, const tile_table_type& table,
                  const gemm_division& division)
        : parallel_gemm(shape, config, table, division, gemm_strides::dense(shape))
    {
    }

    /// Plans the product for this division.
    parallel_gemm(const gemm_shape& shape, const gemm_config& config, const tile_table_type& table,
                  const gemm_division& division, const gemm_strides& strides)
    {
        detail::require_valid(shape);
        const int threads = division.parts;
        require(threads >= 1, "parallel_gemm: threads is " + std::to_string(threads) + ", want >= 1");
        // A tile that is larger than the product leaves one part; the kernel says what is wrong with one that is not
        // there.
        const int nr =
            static_cast<int>(std::clamp(std::int64_t{config.nv} * config.vl, std::int64_t{1}, std::int64_t{shape.n}));
        const int mr = std::clamp(config.mr, 1, shape.m);
        gemm_division::cut split = division.split;
        if (split == gemm_division::cut::automatic)
            split = shape.batch > 1                ? gemm_division::cut::batch
                    : shape.n / nr >= shape.m / mr ? gemm_division::cut::columns
                                                   : gemm_division::cut::rows;
        if (split == gemm_division::cut::batch) {
            detail::divide(shape.batch, 1, threads, [&](int begin, int size) {
                gemm_shape s = shape;
                s.batch = size;
                add(s, config, table, strides, begin * strides.batch_a, begin * strides.batch_b,
                    begin * strides.batch_c);
            });
        } else if (split == gemm_division::cut::columns) {
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

    /// Computes C = A B. Preconditions: as the serial kernel's run.
    template <core::executor Run>
    void run(const left* a, const right* b, sum* c, const Run& executor)
    {
        executor(parts_.size(), [&](std::size_t i) {
            part& p = parts_[i];
            p.kernel.run(a + p.a, b + p.b, c + p.c);
        });
    }

private:
    struct part {
        serial kernel;
        std::ptrdiff_t a, b, c;  // where its operands begin
    };

    void add(const gemm_shape& s, const gemm_config& config, const tile_table_type& table, const gemm_strides& strides,
             std::ptrdiff_t a, std::ptrdiff_t b, std::ptrdiff_t c)
    {
        parts_.push_back({serial(s, config, table, strides), a, b, c});
    }

    std::vector<part> parts_;
};

}  // namespace tunekit::kernels
