// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The concepts of a density to sample from, and of a move that proposes points.

#include <concepts>
#include <cstddef>
#include <span>

#include "tunekit/mcmc/view.hpp"
#include "tunekit/random/generator.hpp"

namespace tunekit::mcmc {

namespace detail {

/// A log density of one point: ln p(x) up to a constant. -inf where p is 0; NaN and +inf are errors.
/// Semantics: equal points have equal densities; may be called from several threads when an executor has them.
template <class F>
concept point_log_density = requires(const F& log_density, std::span<const double> x) {
    { log_density(x) } -> std::same_as<double>;
};

/// A log density of many points at once: out[i] for point i. Write it where one call can use the whole width of the
/// registers.
/// Semantics: as above. out[i] depends on point i alone, not on the other points of the batch.
template <class F>
concept batch_log_density = requires(const F& log_density, const points& xs, std::span<double> out) {
    { log_density(xs, out) } -> std::same_as<void>;
};

}  // namespace detail

/// A log density of one point or of many. Where both are there, the batched one is preferred.
template <class F>
concept log_density = detail::point_log_density<F> || detail::batch_log_density<F>;

/// The way in which a move divides the walkers of a step into sets. Each set moves according to the other sets.
struct division {
    std::size_t sets = 2;  ///< 1: every walker moves by itself
    bool shuffled = true;  ///< false: walker i is in set i mod sets in every step

    friend bool operator==(const division&, const division&) = default;
};

namespace detail {

/// A move that tells how it divides the walkers of a step.
template <class M>
concept divides_walkers = requires(const M& move) {
    { move.divide() } -> std::same_as<division>;
};

/// A move that tells the smallest number of walkers with which it can reach all of D dimensions. It is 1 for a move
/// that uses no other walker.
template <class M>
concept bounds_walkers = requires(const M& move, std::size_t dimensions) {
    { move.min_walkers(dimensions) } -> std::same_as<std::size_t>;
};

/// A move that throws std::invalid_argument when its parameters have no meaning in D dimensions.
template <class M>
concept checks_itself = requires(const M& move, std::size_t dimensions) {
    { move.check(dimensions) } -> std::same_as<void>;
};

/// A move that writes a proposal q for every walker x of the set, and ln(p(q -> x) / p(x -> q)) into `log_factor`.
template <class M, class G>
concept proposes_points =
    requires(const M& move, const view& walkers, const proposals& out, std::span<double> log_factor, G& gen) {
        { move.propose(walkers, out, log_factor, gen) } -> std::same_as<void>;
    };

/// A move that writes p(q -> x) / p(x -> q) itself into `log_factor`, not its logarithm, where `gives_factors(D)`. It
/// saves a logarithm per proposal. The product of the factor and exp(difference of log densities) must not overflow
/// where acceptance is in doubt.
template <class M>
concept may_give_factors = requires(const M& move, std::size_t dimensions) {
    { move.gives_factors(dimensions) } -> std::same_as<bool>;
};

/// Several moves in one, as in `mixture`. In every step it hands one of them to a function.
template <class M>
concept mixes_moves = requires { typename M::mixes; } && bounds_walkers<M> && checks_itself<M>;

}  // namespace detail

/// A move of the ensemble. It has parameters only. Where it has a `gives_factors(D)` that is true, it writes the factor
/// itself, not its logarithm (`detail::may_give_factors`).
/// Semantics: proposals depend on the view and on draws from `gen`; the acceptance rule that `ensemble` adds leaves p
/// invariant.
template <class M, class G>
concept move = std::copyable<M> && detail::divides_walkers<M> && detail::bounds_walkers<M> &&
               detail::checks_itself<M> && detail::proposes_points<M, G>;

}  // namespace tunekit::mcmc
