// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The stretch move: a step along the line to another walker.

#include <cmath>
#include <cstddef>
#include <span>
#include <type_traits>

#include "tunekit/core/error.hpp"
#include "tunekit/linalg/elementary.hpp"
#include "tunekit/mcmc/concepts.hpp"
#include "tunekit/mcmc/detail/dimension.hpp"
#include "tunekit/mcmc/detail/draws.hpp"

namespace tunekit::mcmc {

/// Moves a walker x along the line through another walker y, by a new random factor. The move works the same on a
/// target and on every affine image of it, so strong correlations do not slow it down.
///
///     const mcmc::ensemble sampler{mcmc::stretch{.scale = 2}};
///
///     z = ((a - 1) u + 1)^2 / a, that is p(z) ~ 1 / sqrt(z) on [1/a, a];  q = y + z (x - y);  factor z^(D - 1)
///
/// Randomness: one `bits` per walker gives y and u.
/// Source:     Goodman, Weare (2010), Ensemble samplers with affine invariance, CAMCoS 5, 65-80; the form in two sets that can
///             be evaluated at once: Foreman-Mackey et al. (2013), emcee: The MCMC Hammer, PASP 125, 306-312.
struct stretch {
    double scale = 2;  ///< a > 1
    division divided = {};

    [[nodiscard]] division divide() const { return divided; }
    [[nodiscard]] std::size_t min_walkers(std::size_t dimensions) const { return 2 * dimensions; }
    void check(std::size_t) const
    {
        require(scale > 1 && std::isfinite(scale), "stretch: scale is not above 1, want a finite number > 1");
        require(divided.sets >= 2, "stretch: fewer than 2 sets, want >= 2");
    }

    /// z^(D - 1) itself where it stays within e^300 and e^-300.
    [[nodiscard]] bool gives_factors(std::size_t dimensions) const
    {
        return static_cast<double>(dimensions) * std::log(scale) <= 300;
    }

    template <generator G>
    void propose(const view& walkers, const proposals& out, std::span<double> log_factor, G& gen) const
    {
        const std::size_t helpers = walkers.helpers();
        const double narrow = 1 / scale;
        const bool linear = gives_factors(walkers.dimensions());
        const auto move = [&](auto d, auto stride) {
            constexpr std::size_t together = 32;  // draws first: the loop that moves needs the registers
            const double stretched = scale - 1, over = narrow;
            const std::size_t n = walkers.size(), others = helpers;
            double* const factor = log_factor.data();
            for (std::size_t from = 0; from < n; from += together) {
                const std::size_t end = n - from < together ? n : from + together;
                const double* by[together];
                for (std::size_t i = from; i < end; ++i) {
                    const detail::index_and_fraction drawn = detail::pick(others, gen);
                    const double root = stretched * drawn.fraction + 1;
                    by[i - from] = walkers.helper(drawn.index).data();
                    factor[i] = root * root * over;
                }
                for (std::size_t i = from; i < end; ++i) {
                    const double z = factor[i];
                    const double *x = walkers.walker(i).data(), *y = by[i - from];
                    double* q = &out(i, 0);
                    for (std::size_t c = 0; c < d; ++c) q[c * stride] = y[c] + z * (x[c] - y[c]);
                }
            }
            if (!linear) return;
            for (double& f : log_factor) {
                const double z = f;
                f = 1;
                for (std::size_t c = 1; c < d; ++c) f *= z;
            }
        };
        detail::for_dimensions(walkers.dimensions(), [&](auto d) {
            if (out.coordinate_stride() == 1) move(d, std::integral_constant<std::size_t, 1>{});
            else move(d, out.coordinate_stride());
        });
        if (linear) return;
        linalg::log_of_normals(log_factor, log_factor);
        for (double& f : log_factor) f *= static_cast<double>(walkers.dimensions()) - 1;
    }
};

}  // namespace tunekit::mcmc
