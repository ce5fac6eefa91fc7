// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// How well a covariance explains targets, and in which direction it would do so better.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numbers>
#include <span>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/surrogate/detail/process/matern.hpp"
#include "tunekit/surrogate/detail/process/triangle.hpp"
#include "tunekit/surrogate/process_parameters.hpp"

namespace tunekit::surrogate::detail {

/// The factor of K over `points`. Cost O(n^3 / 6) multiplications.
[[nodiscard]] triangle factor_of(const point_strips& points, const matern& covariance, double noise);

/// -ln p(y | theta) - ln p(theta) of theta = (ln length_1 ... ln length_d, ln variance, ln noise), and its gradient:
/// exact.
///
///     -ln p(y | theta) = y^T K^-1 y / 2 + sum ln L_ii + n ln(2 pi) / 2
///     d/dtheta         = tr((K^-1 - K^-1 y y^T K^-1) dK/dtheta) / 2
///
/// Constants of the prior are left out. A coordinate that is the same in all points adds nothing to a covariance, so
/// the points are without it: only the prior says what its length is.
/// Source: Rasmussen, Williams (2006), Gaussian Processes for Machine Learning, 5.8 and 5.9.
class evidence {
public:
    /// `middle` has the prior's median of each entry of theta; `lengths` has the position in theta of each coordinate's
    /// length.
    evidence(const point_strips& points, std::span<const double> y, core::plain_vector<char> overlap,
             core::plain_vector<std::size_t> lengths, const process_prior& prior, std::span<const double> middle)
        : points_(points),
          y_(y),
          overlap_(std::move(overlap)),
          lengths_(std::move(lengths)),
          prior_(prior),
          middle_(middle)
    {
    }

    [[nodiscard]] double operator()(std::span<const double> theta, std::span<double> gradient) const;

private:
    const point_strips& points_;
    std::span<const double> y_;
    core::plain_vector<char> overlap_;
    core::plain_vector<std::size_t> lengths_;
    process_prior prior_;
    std::span<const double> middle_;

    double add_prior(std::span<const double> theta, std::span<double> gradient) const;
};

}  // namespace tunekit::surrogate::detail

#if TUNEKIT_BODIES
namespace tunekit::surrogate::detail {

/// The factor of K over `size` points; `covariances(k, n, to)` writes those of the first n with strip k.
template <class Covariances>
[[nodiscard]] triangle factor_by(std::size_t size, double noise, const Covariances& covariances)
{
    triangle out;
    out.entries.reserve(size * (size + 1) / 2);
    core::plain_vector<double> cross(strips_for(size) * strip * strip);
    for (std::size_t k = 0; k * strip < size; ++k) {
        const std::size_t old = out.size, n = (std::min)(strip, size - old);
        covariances(k, old + n, cross.data());
        double* own = cross.data() + old * strip;
        for (std::size_t i = 0; i < n; ++i) own[i * strip + i] += noise;
        out.append(std::span(cross).first(old * strip), std::span<const double>(own, n * strip), n, noise);
    }
    return out;
}

TUNEKIT_INLINE triangle factor_of(const point_strips& points, const matern& covariance, double noise)
{
    return factor_by(points.size, noise,
                     [&](std::size_t k, std::size_t n, double* to) { covariance(points, 0, n, points.of(k), to); });
}

TUNEKIT_INLINE double evidence::operator()(std::span<const double> theta, std::span<double> gradient) const
{
    const std::size_t d = points_.dimensions, n = points_.size, all = strips_for(n), variance_at = theta.size() - 2;
    matern covariance{.inverse_length = {}, .overlap = overlap_, .variance = std::exp(theta[variance_at])};
    for (std::size_t c = 0; c < d; ++c) covariance.inverse_length.push_back(std::exp(-theta[lengths_[c]]));
    const double noise = std::exp(theta[variance_at + 1]);

    // Of each strip the covariances with the points up to its last one, and their slopes.
    const std::size_t rows = all * strip;
    core::plain_vector<double> covariances(all * rows * strip), slopes(all * rows * strip);
    for (std::size_t t = 0; t < all; ++t)
        covariance(points_, 0, (std::min)((t + 1) * strip, n), points_.of(t), covariances.data() + t * rows * strip,
                   slopes.data() + t * rows * strip);
    const triangle l = factor_by(n, noise, [&](std::size_t t, std::size_t count, double* to) {
        std::copy_n(covariances.data() + t * rows * strip, count * strip, to);
    });
    core::plain_vector<double> alpha(y_);
    l.solve_one(alpha);
    double value = 0.5 * triangle::inner(alpha.data(), alpha.data(), n) +
                   0.5 * static_cast<double>(n) * std::log(2 * std::numbers::pi);
    for (std::size_t i = 0; i < n; ++i) value += std::log(l.diagonal(i));
    l.solve_transposed(alpha);
    alpha.resize(all * strip);

    // Columns of L^-1, a strip at a time: those of strip k are 0 above row 8 k.
    core::plain_vector<double> inverse(all * rows * strip);
    for (std::size_t k = 0; k < all; ++k) {
        double* x = inverse.data() + k * rows * strip;
        for (std::size_t j = 0; j < strip && k * strip + j < n; ++j) x[(k * strip + j) * strip + j] = 1;
        l.solve(x, k * strip, n, k * strip);
    }

    std::fill(gradient.begin(), gradient.end(), 0.0);
    const auto by_column =
        std::make_unique<core::detail::pack[]>(d * packs);  // a vector of them is more than nvcc takes
    double by_variance = 0, by_noise = 0, weight[strip];
    for (std::size_t t = 0; t < all; ++t) {
        const double* right = inverse.data() + t * rows * strip;
        for (std::size_t i0 = 0; i0 <= t * strip && i0 < n; i0 += strip) {  // blocks on and above the diagonal
            const double* left = inverse.data() + i0 * rows;                // strip i0 / 8 of all * strip * 8 entries
            double block[strip][strip] = {};
            for (std::size_t r = 0; r < strip; r += product_rows) {
                std::array<const double*, product_rows> a;
                for (std::size_t k = 0; k < product_rows; ++k) a[k] = left + t * strip * strip + r + k;
                products<product_rows> p;
                p.add(a, strip, right + t * strip * strip, n - t * strip);
                for (std::size_t k = 0; k < product_rows; ++k) p.subtract_from(block[r + k], k);  // -K^-1
            }
            for (std::size_t r = 0; r < strip && i0 + r < n; ++r) {
                const std::size_t i = i0 + r;
                const double* cov = covariances.data() + (t * rows + i) * strip;
                const double* slope = slopes.data() + (t * rows + i) * strip;
                for (std::size_t j = 0; j < strip; ++j) {
                    const std::size_t at = t * strip + j;
                    const double g = at < n ? alpha[i] * alpha[at] + block[r][j] : 0;
                    if (at == i) by_noise += g;
                    // Each pair once, the diagonal with half of its weight.
                    const double share = at > i ? 1 : at == i ? 0.5 : 0;
                    by_variance += share * g * cov[j];
                    weight[j] = share * g * slope[j];
                }
                for (std::size_t p = 0; p < packs; ++p) {
                    const std::size_t at = p * core::detail::pack_size;
                    const core::detail::pack w = core::detail::load(weight + at);
                    for (std::size_t c = 0; c < d; ++c)
                        by_column[c * packs + p] +=
                            w * covariance.delta(c, points_.at(i, c), points_.of(t) + c * strip + at);
                }
            }
        }
    }
    for (std::size_t c = 0; c < d; ++c) {
        double lane[strip], sum = 0;
        for (std::size_t p = 0; p < packs; ++p)
            core::detail::store(by_column[c * packs + p], lane + p * core::detail::pack_size);
        for (const double v : lane) sum += v;
        gradient[lengths_[c]] = -(5.0 / 3) * covariance.variance * sum;
    }
    gradient[variance_at] = -by_variance;
    gradient[variance_at + 1] = -0.5 * noise * by_noise;
    return value + add_prior(theta, gradient);
}

TUNEKIT_INLINE double evidence::add_prior(std::span<const double> theta, std::span<double> gradient) const
{
    const std::size_t d = theta.size() - 2;
    double value = 0;
    for (std::size_t k = 0; k < theta.size(); ++k) {
        const double spread = k < d ? prior_.length_spread : k == d ? prior_.variance_spread : prior_.noise_spread;
        const double z = (theta[k] - middle_[k]) / spread;
        value += 0.5 * z * z;
        gradient[k] += z / spread;
    }
    return value;
}

}  // namespace tunekit::surrogate::detail
#endif  // TUNEKIT_BODIES
