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

/// -ln p(y | theta) - ln p(theta) of theta = (ln length_1 ... ln length_d, ln variance, ln noise), and its gradient: exact.
///
///     -ln p(y | theta) = y^T K^-1 y / 2 + sum ln L_ii + n ln(2 pi) / 2
///     d/dtheta         = tr((K^-1 - K^-1 y y^T K^-1) dK/dtheta) / 2
///
/// Constants of the prior are left out. Source: Rasmussen, Williams (2006), Gaussian Processes for Machine Learning, 5.8 and
/// 5.9.
class evidence {
public:
    /// `middle` has the prior's median of each entry of theta.
    evidence(const point_strips& points, std::span<const double> y, core::plain_vector<char> overlap,
             const process_prior& prior, std::span<const double> middle)
        : points_(points), y_(y), overlap_(std::move(overlap)), prior_(prior), middle_(middle)
    {
    }

    [[nodiscard]] double operator()(std::span<const double> theta, std::span<double> gradient) const;

private:
    const point_strips& points_;
    std::span<const double> y_;
    core::plain_vector<char> overlap_;
    process_prior prior_;
    std::span<const double> middle_;

    double add_prior(std::span<const double> theta, std::span<double> gradient) const;
};

}  // namespace tunekit::surrogate::detail

#if TUNEKIT_BODIES
namespace tunekit::surrogate::detail {

TUNEKIT_INLINE triangle factor_of(const point_strips& points, const matern& covariance, double noise)
{
    triangle out;
    out.entries.reserve(points.size * (points.size + 1) / 2);
    core::plain_vector<double> cross(strips_for(points.size) * strip * strip);
    for (std::size_t k = 0; k * strip < points.size; ++k) {
        const double* with = points.of(k);
        const std::size_t old = out.size, n = (std::min)(strip, points.size - old);
        covariance(points, 0, old + n, with, cross.data());
        double* own = cross.data() + old * strip;
        for (std::size_t i = 0; i < n; ++i) own[i * strip + i] += noise;
        out.append(std::span(cross).first(old * strip), std::span<const double>(own, n * strip), n, noise);
    }
    return out;
}

TUNEKIT_INLINE double evidence::operator()(std::span<const double> theta, std::span<double> gradient) const
{
    const std::size_t d = points_.dimensions, n = points_.size, all = strips_for(n);
    matern covariance{.inverse_length = {}, .overlap = overlap_, .variance = std::exp(theta[d])};
    for (std::size_t c = 0; c < d; ++c) covariance.inverse_length.push_back(std::exp(-theta[c]));
    const double noise = std::exp(theta[d + 1]);
    const triangle l = factor_of(points_, covariance, noise);
    core::plain_vector<double> alpha(y_);
    l.solve_one(alpha);
    double value = 0.5 * triangle::inner(alpha.data(), alpha.data(), n) +
                   0.5 * static_cast<double>(n) * std::log(2 * std::numbers::pi);
    for (std::size_t i = 0; i < n; ++i) value += std::log(l.diagonal(i));
    l.solve_transposed(alpha);
    alpha.resize(all * strip);

    // Columns of L^-1, a strip at a time: those of strip k are 0 above row 8 k.
    const std::size_t rows = all * strip;
    core::plain_vector<double> inverse(all * rows * strip);
    for (std::size_t k = 0; k < all; ++k) {
        double* x = inverse.data() + k * rows * strip;
        for (std::size_t j = 0; j < strip && k * strip + j < n; ++j) x[(k * strip + j) * strip + j] = 1;
        l.solve(x, k * strip, n, k * strip);
    }

    std::fill(gradient.begin(), gradient.end(), 0.0);
    const auto by_column = std::make_unique<linalg::pack[]>(d * packs);  // a vector of them is more than nvcc takes
    double by_variance = 0, by_noise = 0, weight[strip], cov[strip][strip], slope[strip][strip];
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
            covariance(points_, i0, (std::min)(i0 + strip, n), points_.of(t), cov[0], slope[0]);
            for (std::size_t r = 0; r < strip && i0 + r < n; ++r) {
                const std::size_t i = i0 + r;
                for (std::size_t j = 0; j < strip; ++j) {
                    const std::size_t at = t * strip + j;
                    const double g = at < n ? alpha[i] * alpha[at] + block[r][j] : 0;
                    if (at == i) by_noise += g;
                    // Each pair once, the diagonal with half of its weight.
                    const double share = at > i ? 1 : at == i ? 0.5 : 0;
                    by_variance += share * g * cov[r][j];
                    weight[j] = share * g * slope[r][j];
                }
                for (std::size_t p = 0; p < packs; ++p) {
                    const std::size_t at = p * linalg::pack_size;
                    const linalg::pack w = linalg::load(weight + at);
                    for (std::size_t c = 0; c < d; ++c)
                        by_column[c * packs + p] +=
                            w * covariance.delta(c, points_.at(i, c), points_.of(t) + c * strip + at);
                }
            }
        }
    }
    for (std::size_t c = 0; c < d; ++c) {
        double lane[strip], sum = 0;
        for (std::size_t p = 0; p < packs; ++p) linalg::store(by_column[c * packs + p], lane + p * linalg::pack_size);
        for (const double v : lane) sum += v;
        gradient[c] = -(5.0 / 3) * covariance.variance * sum;
    }
    gradient[d] = -by_variance;
    gradient[d + 1] = -0.5 * noise * by_noise;
    return value + add_prior(theta, gradient);
}

TUNEKIT_INLINE double evidence::add_prior(std::span<const double> theta, std::span<double> gradient) const
{
    const std::size_t d = points_.dimensions;
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
