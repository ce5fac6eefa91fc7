// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Matrix products: run-time blocking and packing around a table of micro-kernels.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "tunekit/kernels/buffer.hpp"
#include "tunekit/kernels/config.hpp"
#include "tunekit/kernels/detail/rows.hpp"
#include "tunekit/kernels/shapes.hpp"
#include "tunekit/kernels/table.hpp"

namespace tunekit::kernels {

/// Distances in floats between rows, and between the matrices of a batch.
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

/// A matrix product C = A B made from a configuration. It is planned once and runs many times without allocation.
/// Row-major.
///
///     gemm_kernel kernel(shape, config, kernel_table());
///     kernel.run(a, b, c);                     // dense; or with strides of your own in the constructor
///
/// Nothing outside the matrices is read or written. C need not be initialised.
///
/// Errors:  std::invalid_argument from the constructor where the configuration does not fit the shape or the table.
/// Cost:    shape.macs() fused multiply-adds per run, and the packing of operands if the configuration asks for it.
/// Threads: distinct objects are independent; one object is for one thread at a time (it owns the scratch).
class gemm_kernel {
public:
    /// Plans the product of dense matrices.
    gemm_kernel(const gemm_shape& shape, const gemm_config& config, const tile_table& table)
        : gemm_kernel(shape, config, table, dense_strides(shape))
    {
    }

    gemm_kernel(const gemm_shape& shape, const gemm_config& config, const tile_table& table,
                const gemm_strides& strides)
        : shape_(shape), config_(config), strides_(strides), copy_(table.moves.copy), nr_(config.nv * config.vl)
    {
        require_valid(shape);
        check(table);
        mc_ = (std::min)(config.mc, shape.m);
        nc_ = (std::min)(config.nc, round_up(shape.n));
        kc_ = (std::min)(config.kc, shape.k);
        for (int mr = 1; mr <= config.mr; ++mr) tiles_.push_back(table.find(mr, config.nv, config.vl)->run);
        whole_ = detail::tiles_of_row(mc_, config.mr, config.edge);
        if (shape.m % mc_ != 0) rest_ = detail::tiles_of_row(shape.m % mc_, config.mr, config.edge);
        if (config.pack_a) a_ = buffer(static_cast<std::size_t>(mc_) * static_cast<std::size_t>(kc_));
        // Without packing, the last columns alone are copied: a vector there would reach past the row.
        b_ = buffer(static_cast<std::size_t>(kc_) * static_cast<std::size_t>(config.pack_b ? nc_ : nr_));
        c_ = buffer(static_cast<std::size_t>(config.mr) * static_cast<std::size_t>(nr_));
    }

    [[nodiscard]] const gemm_shape& shape() const noexcept { return shape_; }
    [[nodiscard]] const gemm_config& config() const noexcept { return config_; }
    /// The strides of the matrices.
    [[nodiscard]] const gemm_strides& strides() const noexcept { return strides_; }
    /// The number of floats kept for packed operands.
    [[nodiscard]] std::size_t scratch_size() const noexcept { return a_.size() + b_.size() + c_.size(); }

    /// Computes C = A B for each matrix of the batch. Preconditions: the matrices are as the strides say and do not
    /// overlap C.
    void run(const float* a, const float* b, float* c)
    {
        for (int i = 0; i < shape_.batch; ++i) {
            product({a + i * strides_.batch_a, b + i * strides_.batch_b, c + i * strides_.batch_c});
        }
    }

private:
    struct matrices {
        const float* a;
        const float* b;
        float* c;
    };
    struct range {
        int begin, end;
        [[nodiscard]] int size() const noexcept { return end - begin; }
    };

    [[nodiscard]] int round_up(int n) const noexcept { return (n + nr_ - 1) / nr_ * nr_; }

    void check(const tile_table& table) const
    {
        const auto& c = config_;
        for (int mr = 1; mr <= (std::max)(c.mr, 1); ++mr) {
            if (c.mr > 0 && table.find(mr, c.nv, c.vl) != nullptr) continue;
            invalid("gemm_config: no tile " + std::to_string(c.mr) + " x " + std::to_string(c.nv) + " x " +
                    std::to_string(c.vl) + " in the table, want one of its tiles");
        }
        const auto refuse = [](const char* name, int value, const char* want) {
            invalid("gemm_config: " + std::string(name) + " is " + std::to_string(value) + ", want " + want);
        };
        if (c.ku != 0 && c.ku != 1 && c.ku != 2 && c.ku != 4 && c.ku != 8) refuse("ku", c.ku, "1, 2, 4 or 8");
        if (c.prefetch < 0) refuse("prefetch", c.prefetch, ">= 0");
        if (c.mc < 1) refuse("mc", c.mc, ">= 1");
        if (c.kc < 1) refuse("kc", c.kc, ">= 1");
        if (c.nc < 1 || c.nc % nr_ != 0) refuse("nc", c.nc, "a positive multiple of nv vl");
        require(c.edge == edge_mode::balanced || c.edge == edge_mode::remainder,
                "gemm_config: edge is another one, want balanced or remainder");
    }

    /// The three outer loops, in the configured order; an operand is packed when its block changes.
    void product(const matrices& p)
    {
        const int steps[3] = {nc_, mc_, kc_}, ends[3] = {shape_.n, shape_.m, shape_.k};
        const auto nest = loops_of(config_.order);
        int at[3] = {0, 0, 0}, packed_a[2] = {-1, -1}, packed_b[2] = {-1, -1};
        for (at[nest[0]] = 0; at[nest[0]] < ends[nest[0]]; at[nest[0]] += steps[nest[0]]) {
            for (at[nest[1]] = 0; at[nest[1]] < ends[nest[1]]; at[nest[1]] += steps[nest[1]]) {
                for (at[nest[2]] = 0; at[nest[2]] < ends[nest[2]]; at[nest[2]] += steps[nest[2]]) {
                    const auto part = [&](int loop) -> range {
                        return {at[loop], (std::min)(at[loop] + steps[loop], ends[loop])};
                    };
                    const range n = part(0), m = part(1), k = part(2);
                    if (config_.pack_a && (packed_a[0] != m.begin || packed_a[1] != k.begin)) {
                        pack_a(p.a, m, k);
                        packed_a[0] = m.begin;
                        packed_a[1] = k.begin;
                    }
                    if (config_.pack_b && (packed_b[0] != n.begin || packed_b[1] != k.begin)) {
                        for (int j = n.begin; j < n.end; j += nr_)
                            pack_panel(p.b, j, (std::min)(nr_, n.end - j), k,
                                       b_.data() + std::ptrdiff_t{j - n.begin} * kc_);
                        packed_b[0] = n.begin;
                        packed_b[1] = k.begin;
                    }
                    block(p, n, m, k);
                }
            }
        }
    }

    void pack_a(const float* a, range m, range k)
    {
        copy_(a + m.begin * strides_.lda + k.begin, strides_.lda, a_.data(), kc_, m.size(), k.size(), k.size());
    }

    /// Columns [j, j + width) of rows k, nr floats a row, zeros beyond the width.
    void pack_panel(const float* b, int j, int width, range k, float* to) const
    {
        copy_(b + k.begin * strides_.ldb + j, strides_.ldb, to, nr_, k.size(), width, nr_);
    }

    void block(const matrices& p, range n, range m, range k)
    {
        const auto& rows = m.size() == mc_ ? whole_ : rest_;
        const float* const x = config_.pack_a ? a_.data() : p.a + m.begin * strides_.lda + k.begin;
        float* const y = p.c + m.begin * strides_.ldc;
        tile_args args{.x_row = config_.pack_a ? kc_ : strides_.lda,  // made once: a call sets what differs
                       .y_row = strides_.ldc,
                       .depth = k.size(),
                       .unroll = config_.ku,
                       .prefetch = config_.prefetch,
                       .accumulate = k.begin > 0,
                       .fetch_y = config_.fetch_c};
        const auto compute = [&](const panel& b, const detail::row_tile& t, int j) {
            args.x = x + t.begin * args.x_row;
            args.w = b.data;
            args.w_step = b.step;
            args.y = y + t.begin * strides_.ldc + j;
            b.width == nr_ ? tiles_[static_cast<std::size_t>(t.length - 1)](args)
                           : compute_narrow(args, t.length, b.width);
        };
        if (config_.inner == inner_order::channels_outside) {
            for (int j = n.begin; j < n.end; j += nr_) {
                const panel b = panel_of(p, n, j, k);
                for (const auto& t : rows) compute(b, t, j);
            }
        } else {
            const int last = n.begin + (n.size() - 1) / nr_ * nr_;
            const panel tail = panel_of(p, n, last, k);
            for (const auto& t : rows) {
                for (int j = n.begin; j < last; j += nr_) compute(panel_of(p, n, j, k), t, j);
                compute(tail, t, last);
            }
        }
    }

    struct panel {
        const float* data;
        std::ptrdiff_t step;  // between rows
        int width;
    };

    [[nodiscard]] panel panel_of(const matrices& p, range n, int j, range k)
    {
        const int width = (std::min)(nr_, shape_.n - j);
        if (config_.pack_b) return {b_.data() + std::ptrdiff_t{j - n.begin} * kc_, nr_, width};
        if (width == nr_) return {p.b + k.begin * strides_.ldb + j, strides_.ldb, width};
        pack_panel(p.b, j, width, k, b_.data());
        return {b_.data(), nr_, width};
    }

    /// A tile of which only `width` columns are C's: by way of the scratch.
    void compute_narrow(tile_args args, int rows, int width)
    {
        float* const c = args.y;
        const auto bytes = static_cast<std::size_t>(width) * sizeof(float);
        args.y = c_.data();
        args.y_row = nr_;
        args.fetch_y = false;
        if (args.accumulate) {
            for (int i = 0; i < rows; ++i)
                std::memcpy(c_.data() + std::ptrdiff_t{i} * nr_, c + i * strides_.ldc, bytes);
        }
        tiles_[static_cast<std::size_t>(rows - 1)](args);
        for (int i = 0; i < rows; ++i) std::memcpy(c + i * strides_.ldc, c_.data() + std::ptrdiff_t{i} * nr_, bytes);
    }

    gemm_shape shape_;
    gemm_config config_;
    gemm_strides strides_;
    copy_function copy_;
    int nr_ = 0, mc_ = 0, nc_ = 0, kc_ = 0;
    std::vector<tile_function> tiles_;  // by rows - 1
    std::vector<detail::row_tile> whole_, rest_;
    buffer a_, b_, c_;
};

}  // namespace tunekit::kernels
