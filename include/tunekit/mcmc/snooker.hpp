// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The snooker move: differential evolution along the line to another walker.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tunekit/core/detail/unit.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/mcmc/concepts.hpp"
#include "tunekit/mcmc/detail/draws.hpp"

namespace tunekit::mcmc {

/// Moves a walker x along its line to a walker z. The step is the difference of two more walkers, projected on that
/// line.
///
///     const mcmc::mixture mixed{mcmc::weighted{mcmc::differential_evolution{}, 0.8}, mcmc::weighted{mcmc::snooker{}, 0.2}};
///
///     e = (x - z) / |x - z|;  q = x + gamma e (e.z1 - e.z2);  factor (|q - z| / |x - z|)^(D - 1)
///
/// z, z1, z2: one walker of each of three other sets, in random order. A walker at the same point as z does not move.
///
/// Randomness: per walker one index for every other set and a shuffle of the sets.
/// Source:     ter Braak, Vrugt (2008), Differential Evolution Markov Chain with snooker updater, Statistics and
///             Computing 18, 435-446; in four sets as in emcee 3.
struct snooker {
    double gamma = 1.7;  ///< length of a step, relative to the projected difference
    division divided = {.sets = 4};

    [[nodiscard]] division divide() const { return divided; }
    [[nodiscard]] std::size_t min_walkers(std::size_t dimensions) const
    {
        return 2 * dimensions > divided.sets ? 2 * dimensions : divided.sets;
    }
    void check(std::size_t) const
    {
        require(gamma > 0 && std::isfinite(gamma), "snooker: gamma is not a finite number > 0");
        require(divided.sets >= 4, "snooker: fewer than 4 sets, want >= 4");
    }

    template <generator G>
    void propose(const view& walkers, const proposals& out, std::span<double> log_factor, G& gen) const
    {
        const std::size_t d = walkers.dimensions(), others = walkers.sets() - 1;
        std::vector<std::uint32_t> order(others);
        for (std::size_t i = 0; i < walkers.size(); ++i) {
            for (std::size_t s = 0; s < others; ++s) order[s] = static_cast<std::uint32_t>(s);
            detail::shuffle_front(order, 3, gen);
            const auto one_of = [&](std::size_t s) {
                const std::size_t first = walkers.other_begin(s);
                return walkers.helper(first + random::uniform_index(walkers.other_begin(s + 1) - first, gen));
            };
            const auto x = walkers.walker(i), z = one_of(order[0]), z1 = one_of(order[1]), z2 = one_of(order[2]);
            double length = 0, along = 0;
            const auto sums = [&](const auto& in) {
                length = along = 0;
                for (std::size_t c = 0; c < d; ++c) {
                    const double apart = in(x[c]) - in(z[c]);
                    length += apart * apart;
                    along += apart * (in(z1[c]) - in(z2[c]));
                }
                length = std::sqrt(length);
            };
            sums([](double v) { return v; });
            if (!(length > 1e-140 && length < 1e140)) {  // squares overflow or vanish
                double largest = 0;
                for (const auto& at : {x, z, z1, z2})
                    largest = (std::max)(largest, core::detail::largest_magnitude(at));
                sums([unit = core::detail::unit_of(largest)](double v) { return v / unit; });
            }
            const double step = gamma * along / length / length;  // of x - z itself
            // q - z = (1 + step) (x - z)
            log_factor[i] = (static_cast<double>(d) - 1) * std::log(std::abs(1 + step));
            if (!(length > 0)) log_factor[i] = -std::numeric_limits<double>::infinity();
            for (std::size_t c = 0; c < d; ++c) out(i, c) = length > 0 ? x[c] + step * (x[c] - z[c]) : x[c];
        }
    }
};

}  // namespace tunekit::mcmc
