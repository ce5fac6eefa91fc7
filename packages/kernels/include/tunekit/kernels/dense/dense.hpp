// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Dense layers: products of few rows with a matrix of weights, as in a network's last layer. Their time is that of
/// reading the weights.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "tunekit/kernels/buffer.hpp"
#include "tunekit/kernels/config.hpp"
#include "tunekit/kernels/shapes.hpp"
#include "tunekit/kernels/table.hpp"

namespace tunekit::kernels {

/// The configuration of a dense layer: C (m x n) = A (m x k) B (k x n) with few rows of A.
struct dense_config {
    /// The place and the layout of the weights.
    enum class weights : std::uint8_t {
        plain,   ///< row-major, in the caller's memory: a few rows at a time are read; the outputs are visited again
        panels,  ///< copied when the kernel is planned, into panels of nv vl columns; an output is visited once
    };

    weights layout = weights::plain;  ///< of the weights
    int rows = 1;                     ///< plain: rows of B at a time
    int columns = 1;                  ///< plain: columns between two visits of a row of B; more than n counts as n
    int nv = 1, vl = 1;               ///< panels: vectors of a panel, and their floats
    int ku = 1;                       ///< panels: unrolling of the loop over k: 1, 2, 4, 8
    int prefetch = 0;                 ///< rows (panels) or lines of 16 floats (plain) that B is fetched ahead

    friend bool operator==(const dense_config&, const dense_config&) = default;
};

/// The name of a layout, as it is written in configurations.
[[nodiscard]] inline std::string to_text(dense_config::weights w) { return detail::name_of(w, {"plain", "panels"}); }

/// A product C = A B with at most `max_rows` rows, made from a configuration. It is planned once with its weights and
/// runs many times without allocation. Row-major and dense.
///
///     dense_kernel kernel(shape, config, kernel_table(), weights);
///     kernel.run(a, c);
///
/// Nothing outside the matrices is read or written. C need not be initialised. With `plain` the weights are read in
/// place.
///
/// Errors:  std::invalid_argument from the constructor where the configuration does not fit the shape or the table.
/// Cost:    one pass over the weights per run. With `panels` they are copied once, when the kernel is planned.
/// Threads: distinct objects are independent; one object is for one thread at a time (it owns the scratch).
class dense_kernel {
public:
    static constexpr int max_rows = 8;  ///< m at most

    /// Plans the product. Preconditions: `weights` has k n floats and, with `plain`, outlives the kernel.
    dense_kernel(const gemm_shape& shape, const dense_config& config, const tile_table& table,
                 std::span<const float> weights)
        : shape_(shape), config_(config), b_(weights.data())
    {
        detail::require_valid(shape);
        require(shape.batch == 1 && shape.m <= max_rows, "dense_kernel: the shape is a batch or has more than " +
                                                             std::to_string(max_rows) +
                                                             " rows, want one product of few rows");
        require(config.prefetch >= 0, "dense_config: prefetch is below 0, want >= 0");
        config.layout == dense_config::weights::plain ? plan_plain(table) : plan_panels(table);
    }

    [[nodiscard]] const gemm_shape& shape() const noexcept { return shape_; }
    [[nodiscard]] const dense_config& config() const noexcept { return config_; }
    /// The number of floats kept for packed weights and the last panel's outputs.
    [[nodiscard]] std::size_t scratch_size() const noexcept { return packed_.size() + last_.size(); }

    /// Computes C = A B. Preconditions: `a` has m k floats, `c` m n; they do not overlap.
    void run(const float* a, float* c)
    {
        config_.layout == dense_config::weights::plain ? run_plain(a, c) : run_panels(a, c);
    }

private:
    void plan_plain(const tile_table& table)
    {
        require(config_.columns >= 1, "dense_config: columns is " + std::to_string(config_.columns) + ", want >= 1");
        for (const auto& t : table.dense) {
            if (t.mr == shape_.m && t.rows == config_.rows) many_ = t.run;
            if (t.mr == shape_.m && t.rows == 1) one_ = t.run;
        }
        require(many_ != nullptr && one_ != nullptr, "dense_config: rows is " + std::to_string(config_.rows) + " for " +
                                                         std::to_string(shape_.m) +
                                                         " rows of A, want what the table's dense tiles have");
    }

    void plan_panels(const tile_table& table)
    {
        const auto& c = config_;
        const detail::tile<>* const t = table.find(shape_.m, c.nv, c.vl);
        if (t == nullptr) {
            invalid("dense_config: no tile " + std::to_string(shape_.m) + " x " + std::to_string(c.nv) + " x " +
                    std::to_string(c.vl) + " in the table, want one of its tiles");
        }
        require(c.ku == 1 || c.ku == 2 || c.ku == 4 || c.ku == 8,
                "dense_config: ku is " + std::to_string(c.ku) + ", want 1, 2, 4 or 8");
        tile_ = t->run;
        const int nr = c.nv * c.vl, panels = (shape_.n + nr - 1) / nr;
        packed_ = buffer(static_cast<std::size_t>(panels) * static_cast<std::size_t>(nr) *
                         static_cast<std::size_t>(shape_.k));
        last_ = buffer(static_cast<std::size_t>(shape_.m) * static_cast<std::size_t>(nr));
        for (int p = 0; p < panels; ++p) {
            table.moves.copy(b_ + std::ptrdiff_t{p} * nr, shape_.n, packed_.data() + std::ptrdiff_t{p} * nr * shape_.k,
                             nr, shape_.k, (std::min)(nr, shape_.n - p * nr), nr);
        }
    }

    void run_plain(const float* a, float* c) const
    {
        const int columns = (std::min)(config_.columns, shape_.n), whole = shape_.k / config_.rows * config_.rows;
        for (int j = 0; j < shape_.n; j += columns) {
            detail::dense_args args{.x = a,
                                    .w = b_ + j,
                                    .y = c + j,
                                    .x_row = shape_.k,
                                    .w_row = shape_.n,
                                    .y_row = shape_.n,
                                    .columns = (std::min)(columns, shape_.n - j),
                                    .depth = whole,
                                    .prefetch = 16 * config_.prefetch};
            many_(args);
            if (whole == shape_.k) continue;
            args.x += whole;
            args.w += std::ptrdiff_t{whole} * shape_.n;
            args.depth = shape_.k - whole;
            args.accumulate = whole > 0;
            one_(args);
        }
    }

    void run_panels(const float* a, float* c)
    {
        const int nr = config_.nv * config_.vl;
        detail::tile_args<> args{.x = a,
                                 .w = packed_.data(),
                                 .y = c,
                                 .x_row = shape_.k,
                                 .w_step = nr,
                                 .y_row = shape_.n,
                                 .depth = shape_.k,
                                 .unroll = config_.ku,
                                 .prefetch = config_.prefetch};
        int j = 0;
        for (; j + nr <= shape_.n; j += nr, args.y += nr, args.w += std::ptrdiff_t{nr} * shape_.k) tile_(args);
        if (j == shape_.n) return;
        args.y = last_.data();
        args.y_row = nr;
        tile_(args);
        for (int m = 0; m < shape_.m; ++m) {
            std::memcpy(c + std::ptrdiff_t{m} * shape_.n + j, last_.data() + std::ptrdiff_t{m} * nr,
                        static_cast<std::size_t>(shape_.n - j) * sizeof(float));
        }
    }

    gemm_shape shape_;
    dense_config config_;
    const float* b_;
    detail::dense_function many_ = nullptr, one_ = nullptr;
    detail::tile_function<> tile_ = nullptr;
    buffer<> packed_, last_;
};

}  // namespace tunekit::kernels
