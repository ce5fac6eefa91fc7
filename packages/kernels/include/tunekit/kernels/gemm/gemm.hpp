// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Matrix products: run-time blocking and packing around a table of micro-kernels.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "tunekit/kernels/buffer.hpp"
#include "tunekit/kernels/config.hpp"
#include "tunekit/kernels/detail/gemm_check.hpp"
#include "tunekit/kernels/detail/rows.hpp"
#include "tunekit/kernels/shapes.hpp"
#include "tunekit/kernels/table.hpp"

namespace tunekit::kernels {

/// A matrix product C = A B made from a configuration. It is planned once and runs many times without allocation.
/// Row-major. `Format` says what the elements are: see `formats`.
///
///     gemm_kernel kernel(shape, config, kernel_table());
///     kernel.run(a, b, c);                     // dense; or with strides of your own in the constructor
///
/// Weights that stay the same are packed once, which every format can do:
///
///     gemm_kernel layer(shape, config, kernel_table());
///     layer.pack(b);                           // copies B; the configuration says pack_b
///     layer.run(a, c);
///
/// Nothing outside the matrices is read or written. C need not be initialised. Formats whose instructions take several
/// steps of k at once always pack B, so `pack_b` must be set, and `kc` is a multiple of the format's group. Where k is
/// none, the last block of A is copied whatever `pack_a` says.
///
/// Errors:  std::invalid_argument from the constructor where the configuration does not fit the shape or the table, and
///          from `pack` where the configuration does not pack B.
/// Cost:    shape.macs() fused multiply-adds per run, and the packing of operands if the configuration asks for it.
/// Threads: distinct objects are independent; one object is for one thread at a time (it owns the scratch).
template <class Format = formats::fp32>
class gemm_kernel {
public:
    using left = typename Format::left;                     ///< the elements of A
    using right = typename Format::right;                   ///< the elements of B
    using sum = typename Format::sum;                       ///< the elements of C
    using table_type = detail::product_table_of<Format>;    ///< the micro-kernels
    static constexpr std::ptrdiff_t group = Format::group;  ///< steps of k of an instruction

    /// Plans the product of dense matrices.
    gemm_kernel(const gemm_shape& shape, const gemm_config& config, const table_type& table)
        : gemm_kernel(shape, config, table, gemm_strides::dense(shape))
    {
    }

    gemm_kernel(const gemm_shape& shape, const gemm_config& config, const table_type& table,
                const gemm_strides& strides)
        : shape_(shape), config_(config), strides_(strides), copy_(detail::copies_of(table))
    {
        detail::require_valid(shape);
        detail::check_gemm<Format>(config, table);
        nr_ = config.nv * config.vl;
        mc_ = (std::min)(config.mc, shape.m);
        nc_ = (std::min)(config.nc, round_up(shape.n));
        kc_ = (std::min)(config.kc, whole_groups(shape.k));
        for (int mr = 1; mr <= config.mr; ++mr) tiles_.push_back(table.find(mr, config.nv, config.vl)->run);
        whole_rows_ = detail::tiles_of_row(mc_, config.mr, config.edge);
        if (shape.m % mc_ != 0) rest_ = detail::tiles_of_row(shape.m % mc_, config.mr, config.edge);
        const auto n = [](int i) { return static_cast<std::size_t>(i); };
        if (config.pack_a || shape.k % Format::group != 0) a_ = buffer<left>(n(mc_) * n(kc_));
        // Without packing, the last columns alone are copied: a vector there would reach past the row.
        b_ = buffer<right>(n(kc_) * n(config.pack_b ? nc_ : nr_));
        c_ = buffer<sum>(n(config.mr) * n(nr_));
    }

    [[nodiscard]] const gemm_shape& shape() const noexcept { return shape_; }
    [[nodiscard]] const gemm_config& config() const noexcept { return config_; }
    /// The strides of the matrices.
    [[nodiscard]] const gemm_strides& strides() const noexcept { return strides_; }
    /// The number of elements kept for packed operands.
    [[nodiscard]] std::size_t scratch_size() const noexcept
    {
        return a_.size() + b_.size() + c_.size() + ahead_.size();
    }

    /// Computes C = A B for each matrix of the batch. Preconditions: the matrices are as the strides say and do not
    /// overlap C.
    void run(const left* a, const right* b, sum* c)
    {
        for (int i = 0; i < shape_.batch; ++i) {
            product({a + i * strides_.batch_a, b + i * strides_.batch_b, c + i * strides_.batch_c, nullptr});
        }
    }

    /// Packs B, for all of the batch, for `run` without it.
    void pack(const right* b)
    {
        require(config_.pack_b, "gemm_kernel: the configuration does not pack B, want pack_b for pack()");
        if (ahead_.size() == 0) ahead_ = buffer<right>(static_cast<std::size_t>(shape_.batch * packed_size()));
        for (int i = 0; i < shape_.batch; ++i, b += strides_.batch_b) {
            for (int n = 0; n < shape_.n; n += nc_) {
                for (int k = 0; k < shape_.k; k += kc_) {
                    const range columns{n, (std::min)(n + nc_, shape_.n)}, steps{k, (std::min)(k + kc_, shape_.k)};
                    pack_panels(b, columns, steps, ahead_.data() + i * packed_size() + place_of(columns, steps));
                }
            }
        }
    }

    /// Computes C = A B with the B that was packed. Precondition: `pack` was called; and as the other `run`.
    void run(const left* a, sum* c)
    {
        for (int i = 0; i < shape_.batch; ++i) {
            product({a + i * strides_.batch_a, nullptr, c + i * strides_.batch_c, ahead_.data() + i * packed_size()});
        }
    }

private:
    struct matrices {
        const left* a;
        const right* b;
        sum* c;
        const right* packed;  // B, packed before; or nullptr
    };
    struct range {
        int begin, end;
        [[nodiscard]] int size() const noexcept { return end - begin; }
    };

    [[nodiscard]] int round_up(int n) const noexcept { return (n + nr_ - 1) / nr_ * nr_; }
    [[nodiscard]] static int whole_groups(int k) noexcept
    {
        return (k + Format::group - 1) / Format::group * Format::group;
    }
    [[nodiscard]] std::ptrdiff_t packed_size() const noexcept
    {
        return std::ptrdiff_t{round_up(shape_.n)} * whole_groups(shape_.k);
    }
    /// Where a block lies in B packed as a whole.
    [[nodiscard]] std::ptrdiff_t place_of(range n, range k) const noexcept
    {
        return std::ptrdiff_t{n.begin} * whole_groups(shape_.k) + std::ptrdiff_t{k.begin} * round_up(n.size());
    }

    /// The three outer loops, in the configured order; an operand is packed when its block changes.
    void product(const matrices& p)
    {
        const int steps[3] = {nc_, mc_, kc_}, ends[3] = {shape_.n, shape_.m, shape_.k};
        const auto nest = detail::loops_of(config_.order);
        int at[3] = {0, 0, 0}, packed_a[2] = {-1, -1}, packed_b[2] = {-1, -1};
        for (at[nest[0]] = 0; at[nest[0]] < ends[nest[0]]; at[nest[0]] += steps[nest[0]]) {
            for (at[nest[1]] = 0; at[nest[1]] < ends[nest[1]]; at[nest[1]] += steps[nest[1]]) {
                for (at[nest[2]] = 0; at[nest[2]] < ends[nest[2]]; at[nest[2]] += steps[nest[2]]) {
                    const auto part = [&](int loop) -> range {
                        return {at[loop], (std::min)(at[loop] + steps[loop], ends[loop])};
                    };
                    const range n = part(0), m = part(1), k = part(2);
                    if (copies_a(k) && (packed_a[0] != m.begin || packed_a[1] != k.begin)) {
                        copy_.left(p.a + m.begin * strides_.lda + k.begin, strides_.lda, a_.data(), kc_, m.size(),
                                   k.size(), whole_groups(k.size()));
                        packed_a[0] = m.begin;
                        packed_a[1] = k.begin;
                    }
                    const right* b = b_.data();
                    if (p.packed != nullptr) {
                        b = p.packed + place_of(n, k);
                    } else if (config_.pack_b && (packed_b[0] != n.begin || packed_b[1] != k.begin)) {
                        pack_panels(p.b, n, k, b_.data());
                        packed_b[0] = n.begin;
                        packed_b[1] = k.begin;
                    }
                    block(p, b, n, m, k);
                }
            }
        }
    }

    [[nodiscard]] bool copies_a(range k) const noexcept { return config_.pack_a || k.size() % Format::group != 0; }

    /// Columns n and steps k of B in panels. A few rows of all panels at a time: so rows are read from end to end, as
    /// the processor foresees.
    void pack_panels(const right* b, range n, range k, right* to) const
    {
        constexpr int some = 8;
        static_assert(some % group == 0);
        for (range rows{k.begin, 0}; rows.begin < k.end; rows.begin += some) {
            rows.end = (std::min)(rows.begin + some, k.end);
            for (int j = n.begin; j < n.end; j += nr_)
                pack_panel(b, j, (std::min)(nr_, n.end - j), rows,
                           to + std::ptrdiff_t{j - n.begin} * whole_groups(k.size()) + (rows.begin - k.begin) * nr_);
        }
    }

    /// Columns [j, j + width) of rows k, nr elements a row, zeros beyond the width.
    void pack_panel(const right* b, int j, int width, range k, right* to) const
    {
        copy_.right(b + k.begin * strides_.ldb + j, strides_.ldb, to, nr_ * group, k.size(), width, nr_);
    }

    void block(const matrices& p, const right* packed, range n, range m, range k)
    {
        const auto& rows = m.size() == mc_ ? whole_rows_ : rest_;
        const bool copied = copies_a(k);
        const left* const x = copied ? a_.data() : p.a + m.begin * strides_.lda + k.begin;
        sum* const y = p.c + m.begin * strides_.ldc;
        detail::tile_args<Format> args{.x_row = copied ? kc_ : strides_.lda,  // made once: a call sets what differs
                                       .y_row = strides_.ldc,
                                       .depth = whole_groups(k.size()) / Format::group,
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
                const panel b = panel_of(p, packed, n, j, k);
                for (const auto& t : rows) compute(b, t, j);
            }
        } else {
            const int last = n.begin + (n.size() - 1) / nr_ * nr_;
            const panel tail = panel_of(p, packed, n, last, k);
            for (const auto& t : rows) {
                for (int j = n.begin; j < last; j += nr_) compute(panel_of(p, packed, n, j, k), t, j);
                compute(tail, t, last);
            }
        }
    }

    struct panel {
        const right* data;
        std::ptrdiff_t step;  // between rows, or groups of them
        int width;
    };

    [[nodiscard]] panel panel_of(const matrices& p, const right* packed, range n, int j, range k)
    {
        const int width = (std::min)(nr_, shape_.n - j);
        if (config_.pack_b) return {packed + std::ptrdiff_t{j - n.begin} * whole_groups(k.size()), nr_ * group, width};
        if (width == nr_) return {p.b + k.begin * strides_.ldb + j, strides_.ldb, width};
        pack_panel(p.b, j, width, k, b_.data());
        return {b_.data(), nr_, width};
    }

    /// A tile of which only `width` columns are C's: by way of the scratch.
    void compute_narrow(detail::tile_args<Format> args, int rows, int width)
    {
        sum* const c = args.y;
        const auto bytes = static_cast<std::size_t>(width) * sizeof(sum);
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
    detail::operand_copies<Format> copy_;
    int nr_ = 0, mc_ = 0, nc_ = 0, kc_ = 0;
    std::vector<detail::tile_function<Format>> tiles_;  // by rows - 1
    std::vector<detail::row_tile> whole_rows_, rest_;
    buffer<left> a_;
    buffer<right> b_, ahead_;
    buffer<sum> c_;
};

}  // namespace tunekit::kernels
