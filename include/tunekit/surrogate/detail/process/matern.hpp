// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The Matern 5/2 covariance of a point with eight others.

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "tunekit/linalg/elementary.hpp"
#include "tunekit/surrogate/detail/process/strips.hpp"

namespace tunekit::surrogate::detail {

/// s^2 (1 + a + a^2 / 3) e^-a,  a = sqrt(5 sum_c delta_c),  delta_c = ((x_c - z_c) / l_c)^2, or [x_c != z_c] / l_c^2 where
/// overlap[c].
struct matern {
    std::vector<double> inverse_length;
    std::vector<char> overlap;
    double variance = 1;

    friend bool operator==(const matern&, const matern&) = default;

    /// delta_c of the point of coordinate `x` and eight others at `z`.
    [[nodiscard]] linalg::pack delta(std::size_t c, double x, const double* z) const
    {
        const auto inverse = linalg::all<linalg::pack>(inverse_length[c]);
        const linalg::pack other = linalg::load(z), own = linalg::all<linalg::pack>(x);
        if (overlap[c]) return other == own ? linalg::pack{} : inverse * inverse;
        const linalg::pack t = (own - other) * inverse;
        return t * t;
    }

    /// Covariances of point i of `of` with a strip of `with` into out[8]; (1 + a) e^-a, which gradients want, into slope[8]
    /// where not null.
    void operator()(const point_strips& of, std::size_t i, const double* with, double* out,
                    double* slope = nullptr) const
    {
        double a[strip], e[strip];
        const double* own = of.of(i / strip) + i % strip;
        for (std::size_t p = 0; p < packs; ++p) {
            const std::size_t at = p * linalg::pack_size;
            linalg::pack sum{};
            for (std::size_t c = 0; c < of.dimensions; ++c) sum += delta(c, own[c * strip], with + c * strip + at);
            linalg::store(5.0 * sum, a + at);
        }
        for (double& v : a) v = std::sqrt(v);
        for (std::size_t p = 0; p < packs; ++p) {
            const std::size_t at = p * linalg::pack_size;
            const linalg::pack v = linalg::load(a + at);
            const linalg::pack decay = linalg::exp(-v);
            linalg::store(variance * ((1.0 + v + v * v * (1.0 / 3)) * decay), out + at);
            linalg::store((1.0 + v) * decay, e + at);
        }
        if (slope != nullptr)
            for (std::size_t j = 0; j < strip; ++j) slope[j] = e[j];
    }
};

}  // namespace tunekit::surrogate::detail
