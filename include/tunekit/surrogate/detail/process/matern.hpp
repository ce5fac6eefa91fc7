// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The Matern 5/2 covariance of points with eight others.

#include <array>
#include <cstddef>
#include <type_traits>

#include "tunekit/core/detail/lanes.hpp"
#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/linalg/elementary.hpp"
#include "tunekit/surrogate/detail/process/strips.hpp"

namespace tunekit::surrogate::detail {

/// s^2 (1 + a + a^2 / 3) e^-a,  a = sqrt(5 sum_c delta_c),  delta_c = ((x_c - z_c) / l_c)^2, or [x_c != z_c] / l_c^2
/// where overlap[c].
struct matern {
    core::plain_vector<double> inverse_length;
    core::plain_vector<char> overlap;
    double variance = 1;

    friend bool operator==(const matern&, const matern&) = default;

    /// delta_c of the point of coordinate `x` and eight others at `z`.
    [[nodiscard]] core::detail::pack delta(std::size_t c, double x, const double* z) const
    {
        const auto inverse = linalg::all<core::detail::pack>(inverse_length[c]);
        const core::detail::pack other = core::detail::load(z), own = linalg::all<core::detail::pack>(x);
        if (overlap[c]) return other == own ? core::detail::pack{} : inverse * inverse;
        const core::detail::pack t = (own - other) * inverse;
        return t * t;
    }

    /// Covariances of the points [begin, end) of `of` with a strip of eight `with` into out[point][8]; (1 + a) e^-a,
    /// which gradients want, into slope[point][8] where not null.
    void operator()(const point_strips& of, std::size_t begin, std::size_t end, const double* with, double* out,
                    double* slope = nullptr) const
    {
        std::size_t i = begin;
        const auto next = [&]<std::size_t Points>(std::integral_constant<std::size_t, Points>) {
            some<Points>(of, i, with, out, slope);
            i += Points;
            out += Points * strip;
            if (slope != nullptr) slope += Points * strip;
        };
        while (i + product_rows <= end) next(std::integral_constant<std::size_t, product_rows>{});
        while (i < end) next(std::integral_constant<std::size_t, 1>{});
    }

private:
    /// Of `Points` points, whose sums are added up side by side.
    template <std::size_t Points>
    void some(const point_strips& of, std::size_t i, const double* with, double* out, double* slope) const
    {
        core::detail::pack sum[Points][packs] = {};
        std::array<const double*, Points> own;
        for (std::size_t r = 0; r < Points; ++r) own[r] = of.of((i + r) / strip) + (i + r) % strip;
        for (std::size_t c = 0; c < of.dimensions; ++c)
            for (std::size_t r = 0; r < Points; ++r)
                for (std::size_t p = 0; p < packs; ++p)
                    sum[r][p] += delta(c, own[r][c * strip], with + c * strip + p * core::detail::pack_size);
        for (std::size_t r = 0; r < Points; ++r)
            for (std::size_t p = 0; p < packs; ++p) {
                const std::size_t at = r * strip + p * core::detail::pack_size;
                core::detail::pack v = 5.0 * sum[r][p];
                core::detail::sqrt(v);
                const core::detail::pack decay = linalg::exp(-v);
                core::detail::store(variance * ((1.0 + v + v * v * (1.0 / 3)) * decay), out + at);
                if (slope != nullptr) core::detail::store((1.0 + v) * decay, slope + at);
            }
    }
};

}  // namespace tunekit::surrogate::detail
