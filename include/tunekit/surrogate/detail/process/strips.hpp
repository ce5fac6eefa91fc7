// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Points, and what is computed for them, in strips of eight: the layout of the Gaussian process.

#include <array>
#include <cstddef>

#include "tunekit/core/detail/pack.hpp"
#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/linalg/elementary.hpp"

namespace tunekit::surrogate::detail {

inline constexpr std::size_t strip = core::detail::block_size;  ///< 8 doubles: a line of cache
inline constexpr std::size_t packs = strip / core::detail::pack_size;

[[nodiscard]] constexpr std::size_t strips_for(std::size_t n) { return (n + strip - 1) / strip; }

/// n points of d coordinates: strip k holds coordinate c of points 8 k ... 8 k + 7 side by side. Lanes beyond n are 0.
struct point_strips {
    std::size_t dimensions = 0, size = 0;
    core::plain_vector<double> x;  ///< [strip][coordinate][8]

    friend bool operator==(const point_strips&, const point_strips&) = default;

    [[nodiscard]] const double* of(std::size_t k) const { return x.data() + k * dimensions * strip; }
    [[nodiscard]] double at(std::size_t i, std::size_t c) const { return of(i / strip)[c * strip + i % strip]; }
};

/// sum_k a_r[k step] b[k] for `Rows` rows r of coefficients and a strip of eight columns b, k < count, in that order:
/// every sum has one order, whatever the width of a register.
template <std::size_t Rows>
struct products {
    core::detail::pack sum[Rows][packs] = {};

    void add(const std::array<const double*, Rows>& a, std::size_t step, const double* b, std::size_t count)
    {
        for (std::size_t k = 0; k < count; ++k, b += strip) {
            core::detail::pack v[packs];
            for (std::size_t p = 0; p < packs; ++p) v[p] = core::detail::load(b + p * core::detail::pack_size);
            for (std::size_t r = 0; r < Rows; ++r) {
                const auto factor = linalg::all<core::detail::pack>(a[r][k * step]);
                for (std::size_t p = 0; p < packs; ++p) sum[r][p] += factor * v[p];
            }
        }
    }

    /// to[p] -= the sum of row r.
    void subtract_from(double* to, std::size_t r) const
    {
        for (std::size_t p = 0; p < packs; ++p) {
            double* at = to + p * core::detail::pack_size;
            core::detail::store(core::detail::load(at) - sum[r][p], at);
        }
    }
};

/// As many rows as registers hold sums of.
inline constexpr std::size_t product_rows = core::detail::pack_size;

}  // namespace tunekit::surrogate::detail
