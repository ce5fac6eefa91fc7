// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The Gaussian move: Metropolis' random walk, for each walker separately.

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/linalg/matrix.hpp"
#include "tunekit/mcmc/concepts.hpp"
#include "tunekit/random/normal.hpp"

namespace tunekit::mcmc {

/// Moves every walker by a normal step of a given covariance.
///
///     const mcmc::ensemble sampler{mcmc::gaussian{.covariance = {0.25}}};
///
///     q = x + f N(0, covariance),  f = exp(U(-ln factor, ln factor))
///
/// Shapes:     covariance of size 1 (a variance for all), D (one per coordinate) or D x D (row-major).
/// Errors:     numerical_error for a D x D covariance that is not positive definite.
/// Randomness: per walker D normals (one where one coordinate moves), one index for `random`, one uniform where factor
/// > 1.
/// Source:     Metropolis et al. (1953), J. Chem. Phys. 21, 1087-1092; modes as in emcee 3.
struct gaussian {
    /// The coordinates that one step changes.
    enum class coordinates {
        all,      ///< every one, with the full covariance
        random,   ///< one, drawn for every walker
        in_turn,  ///< one, the same for all walkers: coordinate (steps done) mod D
    };

    std::vector<double> covariance = {1.0};  ///< of a step
    coordinates mode = coordinates::all;     ///< the coordinates that a step changes
    double factor = 1;                       ///< >= 1; the widest scaling of a step

    [[nodiscard]] static division divide() { return {.sets = 1, .shuffled = false}; }
    [[nodiscard]] static std::size_t min_walkers(std::size_t) { return 1; }
    void check(std::size_t d) const
    {
        const std::size_t n = covariance.size();
        require(n == 1 || n == d || n == d * d, "gaussian: covariance has neither 1 nor D nor D x D entries");
        require(n <= d || mode == coordinates::all,
                "gaussian: a D x D covariance moves all coordinates, want 1 or D variances");
        if (n <= d)
            for (const double v : covariance)
                require(v > 0 && std::isfinite(v), "gaussian: a variance is not a finite number > 0");
        require(factor >= 1 && std::isfinite(factor), "gaussian: factor is not a finite number >= 1");
    }

    template <generator G>
    void propose(const view& walkers, const proposals& out, std::span<double> log_factor, G& gen) const
    {
        const std::size_t d = walkers.dimensions();
        const bool full = covariance.size() > d;
        std::vector<double> lower, white(d);
        if (full) {
            linalg::matrix a(linalg::eigen_index(d), linalg::eigen_index(d));
            for (std::size_t i = 0; i < d * d; ++i)
                a(linalg::eigen_index(i / d), linalg::eigen_index(i % d)) = covariance[i];
            const linalg::matrix l = linalg::cholesky(a);
            for (std::size_t i = 0; i < d * d; ++i)
                lower.push_back(l(linalg::eigen_index(i / d), linalg::eigen_index(i % d)));
        }
        const auto sd = [&](std::size_t c) { return std::sqrt(covariance[covariance.size() == 1 ? 0 : c]); };
        for (std::size_t i = 0; i < walkers.size(); ++i) {
            const auto x = walkers.walker(i);
            for (std::size_t c = 0; c < d; ++c) out(i, c) = x[c];
            log_factor[i] = 0;
            const double f = factor > 1 ? std::exp((2 * random::uniform_01(gen) - 1) * std::log(factor)) : 1.0;
            if (mode == coordinates::all) {
                for (double& z : white) z = f * random::normal(gen);
                for (std::size_t c = 0; c < d; ++c) {
                    if (!full) out(i, c) += sd(c) * white[c];
                    for (std::size_t k = 0; full && k <= c; ++k) out(i, c) += lower[c * d + k] * white[k];
                }
            } else {
                const std::size_t c = mode == coordinates::random ? random::uniform_index(d, gen) : walkers.step() % d;
                out(i, c) += f * sd(c) * random::normal(gen);
            }
        }
    }
};

}  // namespace tunekit::mcmc
