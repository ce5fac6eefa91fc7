// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The matrices of Winograd's minimal filtering F(m, 3), from the points that they interpolate.

#include <array>
#include <cstddef>
#include <vector>

#include "tunekit/core/config.hpp"

namespace tunekit::kernels::detail {

/// The points at which F(m, 3) evaluates its polynomials; infinity is one more. Opposite points stand side by side.
///
/// Largest error against double, relative to the largest output, of 256 channels uniform in [-1, 1): m = 2: 5e-7, 3:
/// 2e-6, 4: 5e-6, 5: 6e-6, 6: 1.2e-5, 7: 3.6e-5, 8: 2.7e-3. Up to 7 the points are the best of some that are multiples
/// of 1/8; the textbook's (0, 1, 2 and 1/2 with their opposites) have twice the error at 6 and six times at 7. Those of
/// 8 are the textbook's: it fails a check for 1e-4, whatever its speed.
template <int M>
inline constexpr std::array<double, 0> winograd_points{};
template <>
inline constexpr std::array<double, 3> winograd_points<2>{0, 1, -1};
template <>
inline constexpr std::array<double, 4> winograd_points<3>{1, -1, 0.5, -0.5};
template <>
inline constexpr std::array<double, 5> winograd_points<4>{0, 1, -1, 1.5, -1.5};
template <>
inline constexpr std::array<double, 6> winograd_points<5>{1, -1, 0.25, -0.25, 1.5, -1.5};
template <>
inline constexpr std::array<double, 7> winograd_points<6>{0, 1, -1, 0.5, -0.5, 1.5, -1.5};
template <>
inline constexpr std::array<double, 8> winograd_points<7>{1, -1, 0.25, -0.25, 0.75, -0.75, 2, -2};
template <>
inline constexpr std::array<double, 9> winograd_points<8>{0, 1, -1, 2, -2, 0.5, -0.5, 4, -4};

/// The matrices of F(m, 3), t = m + 2: m outputs y = A ((G g) * (B d)) of t inputs d and 3 taps g, with t
/// multiplications.
/// Source: Lavin, Gray (2016), Fast Algorithms for Convolutional Neural Networks, CVPR; here B of integer polynomials
/// over the points (dyadic, so exact in float) and G with the denominators.
template <std::size_t M>
struct winograd_matrices {
    static constexpr std::size_t t = M + 2;
    std::array<std::array<double, t>, M> a{};
    std::array<std::array<double, t>, t> b{};
    std::array<std::array<double, 3>, t> g{};
};

template <int M>
[[nodiscard]] constexpr auto winograd_matrices_of() noexcept
{
    constexpr auto m = static_cast<std::size_t>(M);
    constexpr auto& points = winograd_points<M>;
    static_assert(points.size() == m + 1, "tunekit: winograd_matrices_of: want a tile of 2 to 8");
    winograd_matrices<m> out;
    // Row i of B: the coefficients of the product of (x - p) over all points but the i-th; over all of them for
    // infinity.
    for (std::size_t i = 0; i <= points.size(); ++i) {
        auto& row = out.b[i];
        row[0] = 1;
        for (std::size_t l = 0, degree = 0; l < points.size(); ++l) {
            if (l == i) continue;
            ++degree;
            for (std::size_t k = degree + 1; k-- > 0;)
                row[k] = (k > 0 ? row[k - 1] : 0) - points[l] * (k < degree ? row[k] : 0);
        }
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
        double denominator = 1, power = 1;
        for (std::size_t l = 0; l < points.size(); ++l) denominator *= l == i ? 1 : points[i] - points[l];
        for (std::size_t k = 0; k < (m < 3 ? 3 : m); ++k, power *= points[i]) {
            if (k < m) out.a[k][i] = power;
            if (k < 3) out.g[i][k] = power / denominator;
        }
    }
    out.a[m - 1][m + 1] = 1;
    out.g[m + 1][2] = 1;
    return out;
}

/// G of F(tile, 3), by element. Precondition: a tile that has points.
[[nodiscard]] inline std::vector<std::array<double, 3>> winograd_filter(int tile)
{
    const auto rows = [](const auto& m) { return std::vector<std::array<double, 3>>(m.g.begin(), m.g.end()); };
    switch (tile) {
        case 2:
            return rows(winograd_matrices_of<2>());
        case 3:
            return rows(winograd_matrices_of<3>());
        case 4:
            return rows(winograd_matrices_of<4>());
        case 5:
            return rows(winograd_matrices_of<5>());
        case 6:
            return rows(winograd_matrices_of<6>());
        case 7:
            return rows(winograd_matrices_of<7>());
        default:
            return rows(winograd_matrices_of<8>());
    }
}
}  // namespace tunekit::kernels::detail
