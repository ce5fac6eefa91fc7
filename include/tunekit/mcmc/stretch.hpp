// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The stretch move: a step along the line to another walker.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tunekit/core/error.hpp"
#include "tunekit/linalg/elementary.hpp"
#include "tunekit/mcmc/concepts.hpp"
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
/// Source:     Goodman, Weare (2010), Ensemble samplers with affine invariance, CAMCoS 5, 65-80; the form in two sets
///             that can be evaluated at once: Foreman-Mackey et al. (2013), emcee: The MCMC Hammer, PASP 125, 306-312.
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
        if (dimensions <= 100 && scale <= 20) return true;  // ln 20 < 3, and this is asked in every step
        return static_cast<double>(dimensions) * std::log(scale) <= 300;
    }

    template <generator G>
    void propose(const view& walkers, const proposals& out, std::span<double> log_factor, G& gen) const
    {
        const bool linear = gives_factors(walkers.dimensions());
        detail::for_dimensions(walkers.dimensions(), [&](auto d) {
            constexpr std::size_t together = 32;  // draws first: the loop that moves needs the registers
            const std::size_t n = walkers.size();
            for (std::size_t from = 0; from < n; from += together) {
                const std::size_t end = n - from < together ? n : from + together;
                std::uint32_t which[together];
                draw(walkers.helpers(), {which, end - from}, log_factor.subspan(from, end - from), gen);
                if (out.coordinate_stride() == 1) move(d, walkers, which, log_factor, from, end, out);
                else move_columns(d, walkers, which, log_factor, from, end, out);
            }
            if (!linear) return;
            for (double& f : log_factor) {
                const double z = f;
                f = 1;
                for (std::size_t c = 1; c < d; ++c) f *= z;
            }
        });
        if (linear) return;
        linalg::detail::each(log_factor, log_factor, [](const auto& v) { return linalg::detail::log_of_normal(v); });
        for (double& f : log_factor) f *= static_cast<double>(walkers.dimensions()) - 1;
    }

private:
    /// A helper and a factor z for each walker, at most 32.
    template <generator G>
    void draw(std::size_t helpers, std::span<std::uint32_t> which, std::span<double> z, G& gen) const
    {
        const double stretched = scale - 1, over = 1 / scale;
        detail::picks(helpers, which, z, gen);
        for (double& f : z) {
            const double root = stretched * f + 1;
            f = root * root * over;
        }
    }

    /// The proposals of walkers [from, end), each in one place.
    template <class Dimensions>
    static void move(Dimensions d, const view& walkers, const std::uint32_t* which, std::span<const double> z,
                     std::size_t from, std::size_t end, const proposals& out)
    {
        for (std::size_t i = from; i < end; ++i) {
            const double *x = walkers.walker(i).data(), *y = walkers.helper(which[i - from]).data();
            double* q = &out(i, 0);
            for (std::size_t c = 0; c < d; ++c) q[c] = y[c] + z[i] * (x[c] - y[c]);
        }
    }

    /// The same where a coordinate of all of them lies in one place: a pack of walkers at a time. Views are values
    /// here: what a pack is written to might be they.
    template <class Dimensions>
    static void move_columns(Dimensions d, view walkers, const std::uint32_t* which, std::span<const double> z,
                             std::size_t from, std::size_t end, proposals out)
    {
        using core::detail::pack, core::detail::pack_size;
        std::size_t i = from;
        for (; i + pack_size <= end; i += pack_size) {
            const double *x[pack_size], *y[pack_size];
            for (std::size_t lane = 0; lane < pack_size; ++lane) {
                x[lane] = walkers.walker(i + lane).data();
                y[lane] = walkers.helper(which[i - from + lane]).data();
            }
            const pack factor = core::detail::load(z.data() + i);
            for (std::size_t c = 0; c < d; ++c) {
                const pack to = core::detail::collect([&](std::size_t lane) { return y[lane][c]; }),
                           own = core::detail::collect([&](std::size_t lane) { return x[lane][c]; });
                core::detail::store(to + factor * (own - to), &out(i, c));
            }
        }
        for (; i < end; ++i) {
            const double *x = walkers.walker(i).data(), *y = walkers.helper(which[i - from]).data();
            for (std::size_t c = 0; c < d; ++c) out(i, c) = y[c] + z[i] * (x[c] - y[c]);
        }
    }
};

}  // namespace tunekit::mcmc
