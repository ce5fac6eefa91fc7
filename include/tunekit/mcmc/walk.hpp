// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The walk move: a Gaussian step with the covariance of some other walkers.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/mcmc/concepts.hpp"
#include "tunekit/mcmc/detail/draws.hpp"
#include "tunekit/random/normal.hpp"

namespace tunekit::mcmc {

/// Moves a walker by a normal step whose covariance is that of s other walkers. The covariance is never computed.
///
///     const mcmc::ensemble sampler{mcmc::walk{.helpers = 3}};
///
///     q = x + sum_j N_j (y_j - mean(y)) / sqrt(s - 1),  N_j independent standard normal
///
/// Randomness: per walker s normals, and a draw of s helpers where they are fewer than all.
/// Cost:       O(s D) per walker.
/// Source:     Goodman, Weare (2010), CAMCoS 5, 65-80, section 2.
/// Departures: the divisor is s - 1, as in emcee 3, where the paper has s; the step is s / (s - 1) wider, p stays
/// invariant.
struct walk {
    std::size_t helpers = 0;  ///< s; 0: all walkers of the other sets
    division divided = {};

    [[nodiscard]] division divide() const { return divided; }
    [[nodiscard]] std::size_t min_walkers(std::size_t dimensions) const { return dimensions < 2 ? 4 : 2 * dimensions; }
    void check(std::size_t) const
    {
        require(helpers != 1, "walk: 1 helper has no spread, want >= 2, or 0 for all");
        require(divided.sets >= 2, "walk: fewer than 2 sets, want >= 2");
    }

    template <generator G>
    void propose(const view& walkers, const proposals& out, std::span<double> log_factor, G& gen) const
    {
        const std::size_t d = walkers.dimensions(), s = helpers == 0 ? walkers.helpers() : helpers;
        require(s >= 2 && s <= walkers.helpers(),
                "walk: not that many walkers in the other sets, want 2 to all of them");
        std::vector<std::uint32_t> order(walkers.helpers());
        std::vector<double> mean(d), step(d);
        for (std::size_t i = 0; i < walkers.size(); ++i) {
            std::iota(order.begin(), order.end(), std::uint32_t{0});
            if (s < order.size()) detail::shuffle_front(order, s, gen);
            mean.assign(d, 0);
            step.assign(d, 0);
            for (std::size_t j = 0; j < s; ++j)
                for (std::size_t c = 0; c < d; ++c) mean[c] += walkers.helper(order[j])[c] / static_cast<double>(s);
            for (std::size_t j = 0; j < s; ++j) {
                const double n = random::normal(gen);
                for (std::size_t c = 0; c < d; ++c) step[c] += n * (walkers.helper(order[j])[c] - mean[c]);
            }
            const double scale = 1 / std::sqrt(static_cast<double>(s - 1));
            for (std::size_t c = 0; c < d; ++c) out(i, c) = walkers.walker(i)[c] + scale * step[c];
            log_factor[i] = 0;
        }
    }
};

}  // namespace tunekit::mcmc
