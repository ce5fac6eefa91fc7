// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The differential evolution move: a step along the difference of two other walkers.

#include <cmath>
#include <cstddef>
#include <span>

#include "tunekit/core/error.hpp"
#include "tunekit/mcmc/concepts.hpp"
#include "tunekit/random/normal.hpp"

namespace tunekit::mcmc {

/// Moves a walker by the difference of two others. So the width of the step follows the width of the ensemble in that
/// direction.
///
///     const mcmc::ensemble sampler{mcmc::differential_evolution{}};
///
///     q = x + gamma (y1 - y2),  gamma = gamma0 (1 + sd N(0, 1)),  y1 != y2 of the other sets
///
/// gamma is one number per walker, not per coordinate, so that the move commutes with affine maps.
///
/// Randomness: two indices and one normal per walker.
/// Source:     ter Braak (2006), A Markov Chain Monte Carlo version of the genetic algorithm Differential Evolution,
///             Statistics and Computing 16, 239-249; in sets: Nelson, Ford, Payne (2014), ApJS 210, 11.
struct differential_evolution {
    double gamma = 0;  ///< gamma0; 0: 2.38 / sqrt(2 D), the best for a Gaussian
    double sd = 1e-5;  ///< relative spread of gamma
    division divided = {};

    [[nodiscard]] division divide() const { return divided; }
    [[nodiscard]] std::size_t min_walkers(std::size_t dimensions) const { return dimensions < 2 ? 4 : 2 * dimensions; }
    void check(std::size_t) const
    {
        require(gamma >= 0 && std::isfinite(gamma), "differential_evolution: gamma is not a finite number >= 0");
        require(sd >= 0 && std::isfinite(sd), "differential_evolution: sd is not a finite number >= 0");
        require(divided.sets >= 2, "differential_evolution: fewer than 2 sets, want >= 2");
    }

    template <generator G>
    void propose(const view& walkers, const proposals& out, std::span<double> log_factor, G& gen) const
    {
        const std::size_t d = walkers.dimensions(), helpers = walkers.helpers();
        require(helpers >= 2, "differential_evolution: fewer than 2 walkers in the other sets, want >= 2");
        const double middle = gamma > 0 ? gamma : 2.38 / std::sqrt(2 * static_cast<double>(d));
        for (std::size_t i = 0; i < walkers.size(); ++i) {
            const std::size_t a = random::uniform_index(helpers, gen), other = random::uniform_index(helpers - 1, gen);
            const double g = middle * (1 + sd * random::normal(gen));
            const auto x = walkers.walker(i), y1 = walkers.helper(a),
                       y2 = walkers.helper(other < a ? other : other + 1);
            for (std::size_t c = 0; c < d; ++c) out(i, c) = x[c] + g * (y1[c] - y2[c]);
            log_factor[i] = 0;
        }
    }
};

}  // namespace tunekit::mcmc
