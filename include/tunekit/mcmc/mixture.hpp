// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A mixture of moves: each step draws one of them.

#include <cmath>
#include <cstddef>
#include <tuple>

#include "tunekit/core/error.hpp"
#include "tunekit/mcmc/concepts.hpp"
#include "tunekit/random/uniform.hpp"

namespace tunekit::mcmc {

/// A move, and how often it is drawn relative to the others.
template <class M>
struct weighted {
    M move;             ///< the move
    double weight = 1;  ///< > 0; relative to the others
};

template <class M>
weighted(M, double) -> weighted<M>;

/// A weighted list of moves. Every step draws one of them.
///
///     const mcmc::ensemble sampler{mcmc::mixture{mcmc::weighted{mcmc::differential_evolution{}, 0.8},
///                                                mcmc::weighted{mcmc::snooker{}, 0.2}}};
///
/// Every move leaves the target invariant, so any mixture does too. The weights 0.8 and 0.2 of the example suit
/// difficult posteriors.
///
/// Randomness: one uniform per step.
template <class... Moves>
struct mixture {
    static_assert(sizeof...(Moves) > 0, "tunekit: mixture: no move, want one or more");
    using mixes = std::tuple<weighted<Moves>...>;

    mixes moves;  ///< the moves and their weights

    /// Makes a mixture of `all`.
    constexpr explicit mixture(weighted<Moves>... all) : moves(all...) {}

    [[nodiscard]] std::size_t min_walkers(std::size_t dimensions) const
    {
        std::size_t most = 0;
        each([&](const auto& one) {
            most = one.move.min_walkers(dimensions) > most ? one.move.min_walkers(dimensions) : most;
        });
        return most;
    }

    void check(std::size_t dimensions) const
    {
        each([&](const auto& one) {
            require(one.weight > 0 && std::isfinite(one.weight), "mixture: a weight is not a finite number > 0");
            one.move.check(dimensions);
        });
    }

    /// Calls `f` with the move of this step.
    template <generator G, class F>
    void pick(G& gen, F&& f) const
    {
        double total = 0;
        each([&](const auto& one) { total += one.weight; });
        double at = random::uniform_01(gen) * total;
        std::size_t chosen = 0, i = 0;
        each([&](const auto& one) {  // the last move is left with what rounding may leave
            if (at >= one.weight && i + 1 < sizeof...(Moves) && chosen == i) {
                at -= one.weight;
                ++chosen;
            }
            ++i;
        });
        i = 0;
        each([&](const auto& one) {
            if (i++ == chosen) f(one.move);
        });
    }

private:
    template <class F>
    void each(F&& f) const
    {
        std::apply([&](const auto&... one) { (f(one), ...); }, moves);
    }
};

template <class... Moves>
mixture(weighted<Moves>...) -> mixture<Moves...>;

}  // namespace tunekit::mcmc
