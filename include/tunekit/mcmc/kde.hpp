// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The kernel density move: an independent proposal from a smooth density of the other walkers.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/linalg/matrix.hpp"
#include "tunekit/mcmc/concepts.hpp"
#include "tunekit/random/normal.hpp"

namespace tunekit::mcmc {

/// Draws the proposal from a Gaussian kernel density estimate of the n walkers of the other sets.
///
///     const mcmc::ensemble sampler{mcmc::kde{}};     // with many walkers
///
///     q = y_j + h L N(0, I),  L L^T = cov(y),  h = n^(-1 / (D + 4)) (Scott);  factor kde(x) / kde(q)
///
/// Use it in few dimensions, with many walkers, and when the ensemble already looks like the target. It is useless
/// otherwise.
///
/// Errors:     numerical_error when the other walkers have no positive definite covariance.
/// Randomness: one index and D normals per walker.
/// Cost:       O(n D^2) per walker.
/// Source:     Farr, Farr (2015), kombine; Scott (1992), Multivariate Density Estimation, for h; as in emcee 3.
struct kde {
    division divided = {};

    [[nodiscard]] division divide() const { return divided; }
    [[nodiscard]] std::size_t min_walkers(std::size_t dimensions) const { return 2 * dimensions + 2; }
    void check(std::size_t) const { require(divided.sets >= 2, "kde: fewer than 2 sets, want >= 2"); }

    template <generator G>
    void propose(const view& walkers, const proposals& out, std::span<double> log_factor, G& gen) const
    {
        const std::size_t d = walkers.dimensions(), n = walkers.helpers();
        require(n > d, "kde: not more walkers in the other sets than dimensions, want more");
        const std::vector<double> factor = kernel(walkers);
        // y -> L^-1 y / h makes every kernel a standard normal
        std::vector<double> centres(n * d), white(d), q(d), scratch(n);
        for (std::size_t j = 0; j < n; ++j) solve(factor, walkers.helper(j), std::span(centres).subspan(j * d, d));
        for (std::size_t i = 0; i < walkers.size(); ++i) {
            const std::size_t j = random::uniform_index(n, gen);
            for (double& z : white) z = random::normal(gen);
            for (std::size_t c = 0; c < d; ++c) {
                q[c] = walkers.helper(j)[c];
                for (std::size_t k = 0; k <= c; ++k) q[c] += factor[c * d + k] * white[k];
                out(i, c) = q[c];
            }
            solve(factor, walkers.walker(i), white);
            const double at_x = log_density(centres, white, scratch);
            solve(factor, q, white);
            log_factor[i] = at_x - log_density(centres, white, scratch);
        }
    }

private:
    /// h L, row-major and lower triangular. A template: only code that calls it compiles the factorisation.
    template <class View>
    [[nodiscard]] static std::vector<double> kernel(const View& walkers)
    {
        const std::size_t d = walkers.dimensions(), n = walkers.helpers();
        std::vector<double> mean(d);
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t c = 0; c < d; ++c) mean[c] += walkers.helper(j)[c] / static_cast<double>(n);
        linalg::matrix covariance = linalg::matrix::Zero(linalg::eigen_index(d), linalg::eigen_index(d));
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t c = 0; c < d; ++c)
                for (std::size_t k = 0; k < d; ++k)
                    covariance(linalg::eigen_index(c), linalg::eigen_index(k)) += (walkers.helper(j)[c] - mean[c]) *
                                                                                  (walkers.helper(j)[k] - mean[k]) /
                                                                                  static_cast<double>(n - 1);
        const auto lower = linalg::cholesky(covariance);
        const double h = std::pow(static_cast<double>(n), -1 / (static_cast<double>(d) + 4));
        std::vector<double> factor(d * d);
        for (std::size_t c = 0; c < d; ++c)
            for (std::size_t k = 0; k <= c; ++k)
                factor[c * d + k] = h * lower(linalg::eigen_index(c), linalg::eigen_index(k));
        return factor;
    }

    /// out = L^-1 x by forward substitution.
    static void solve(const std::vector<double>& lower, std::span<const double> x, std::span<double> out)
    {
        const std::size_t d = x.size();
        for (std::size_t c = 0; c < d; ++c) {
            double rest = x[c];
            for (std::size_t k = 0; k < c; ++k) rest -= lower[c * d + k] * out[k];
            out[c] = rest / lower[c * d + c];
        }
    }

    /// ln sum_j exp(-|x - centre_j|^2 / 2), up to the constant that both densities share.
    [[nodiscard]] static double log_density(const std::vector<double>& centres, std::span<const double> x,
                                            std::vector<double>& scratch)
    {
        const std::size_t d = x.size();
        double nearest = std::numeric_limits<double>::infinity(), sum = 0;
        for (std::size_t j = 0; j < scratch.size(); ++j) {
            double squares = 0;
            for (std::size_t c = 0; c < d; ++c) squares += (x[c] - centres[j * d + c]) * (x[c] - centres[j * d + c]);
            scratch[j] = squares;
            nearest = (std::min)(nearest, squares);
        }
        for (const double squares : scratch) sum += std::exp(-0.5 * (squares - nearest));
        return std::log(sum) - 0.5 * nearest;
    }
};

}  // namespace tunekit::mcmc
