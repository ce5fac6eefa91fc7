// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What is sampled from, and what proposes where to go.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tunekit/random/generator.hpp"

namespace tunekit::mcmc {

/// n points of D dimensions, one coordinate of all points after another, not owned: lane by lane what a loop wants.
class points {
public:
    /// Coordinate c of point i lies at data[c * stride + i].
    constexpr points(const double* data, std::size_t n, std::size_t dimensions, std::size_t stride)
        : data_(data), n_(n), dimensions_(dimensions), stride_(stride)
    {
    }

    [[nodiscard]] constexpr std::size_t size() const noexcept { return n_; }
    [[nodiscard]] constexpr std::size_t dimensions() const noexcept { return dimensions_; }
    /// Coordinate `c` of every point. Precondition: c < dimensions().
    [[nodiscard]] constexpr std::span<const double> operator[](std::size_t c) const noexcept { return {data_ + c * stride_, n_}; }

private:
    const double* data_;
    std::size_t n_, dimensions_, stride_;
};

/// ln p(x) up to a constant, of one point. -inf where p is 0; NaN and +inf are errors.
/// Semantics: equal points have equal densities; may be called from several threads when an executor has them.
template <class F>
concept point_log_density = requires(const F& log_density, std::span<const double> x) {
    { log_density(x) } -> std::same_as<double>;
};

/// ln p of many points at once: out[i] for point i. Worth writing where one call can use the registers' whole width.
/// Semantics: as above, and out[i] depends on point i alone, not on what else is in the batch.
template <class F>
concept batch_log_density = requires(const F& log_density, const points& xs, std::span<double> out) {
    { log_density(xs, out) } -> std::same_as<void>;
};

/// Either of the two; the batched one is preferred where both are there.
template <class F>
concept log_density = point_log_density<F> || batch_log_density<F>;

/// How a move divides the walkers of a step: each set moves by what the other sets show.
struct division {
    std::size_t sets = 2;   ///< 1: every walker moves by itself
    bool shuffled = true;   ///< false: walker i is in set i mod sets in every step

    friend bool operator==(const division&, const division&) = default;
};

/// Where a move writes its proposals: n points of D dimensions.
class proposals {
public:
    constexpr proposals(double* data, std::size_t point_stride, std::size_t coordinate_stride)
        : data_(data), point_stride_(point_stride), coordinate_stride_(coordinate_stride)
    {
    }

    /// Coordinate `c` of the proposal for walker `i` of the set.
    [[nodiscard]] constexpr double& operator()(std::size_t i, std::size_t c) const noexcept
    {
        return data_[i * point_stride_ + c * coordinate_stride_];
    }

    /// From one coordinate of a point to the next: 1 where points lie one after another.
    [[nodiscard]] constexpr std::size_t coordinate_stride() const noexcept { return coordinate_stride_; }

private:
    double* data_;
    std::size_t point_stride_, coordinate_stride_;
};

/// What a move may see while it proposes for one set: the set itself and the others. Positions of walkers are in the order
/// of the step's division, sets one after another.
class view {
public:
    constexpr view(std::span<const double> positions, std::size_t dimensions, std::span<const std::uint32_t> order,
                   std::size_t sets, std::size_t current, std::uint64_t step)
        : positions_(positions), order_(order), dimensions_(dimensions), sets_(sets), step_(step)
    {
        first_ = begin(current);
        size_ = begin(current + 1) - first_;
    }

    [[nodiscard]] constexpr std::size_t dimensions() const noexcept { return dimensions_; }
    [[nodiscard]] constexpr std::uint64_t step() const noexcept { return step_; }  ///< steps done before this one
    [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }    ///< walkers to move
    [[nodiscard]] constexpr std::size_t helpers() const noexcept { return order_.size() - size_; }  ///< walkers of all other sets
    [[nodiscard]] constexpr std::size_t sets() const noexcept { return sets_; }

    /// Walker i of the set that moves. Precondition: i < size().
    [[nodiscard]] constexpr std::span<const double> walker(std::size_t i) const noexcept { return at(first_ + i); }
    /// Walker j of all others. Precondition: j < helpers().
    [[nodiscard]] constexpr std::span<const double> helper(std::size_t j) const noexcept {
        return at(j < first_ ? j : j + size_);
    }

    /// The helpers that form other set number `s` (of sets() - 1): the range [other_begin(s), other_begin(s + 1)) of `helper`.
    [[nodiscard]] constexpr std::size_t other_begin(std::size_t s) const noexcept
    {
        const std::size_t b = begin(s);
        return b <= first_ ? b : begin(s + 1) - size_;
    }

private:
    /// Set s holds the walkers i with i mod sets = s, counted before any shuffle.
    [[nodiscard]] constexpr std::size_t begin(std::size_t s) const noexcept
    {
        const std::size_t each = order_.size() / sets_, more = order_.size() % sets_;
        return s * each + (s < more ? s : more);
    }
    [[nodiscard]] constexpr std::span<const double> at(std::size_t place) const noexcept
    {
        return positions_.subspan(order_[place] * dimensions_, dimensions_);
    }

    std::span<const double> positions_;
    std::span<const std::uint32_t> order_;
    std::size_t dimensions_, sets_, first_ = 0, size_ = 0;
    std::uint64_t step_;
};

template <class M>
concept divides_walkers = requires(const M& move) {
    { move.divide() } -> std::same_as<division>;
};

/// The fewest walkers that can reach all of D dimensions; 1 for a move that asks no other walker.
template <class M>
concept bounds_walkers = requires(const M& move, std::size_t dimensions) {
    { move.fewest_walkers(dimensions) } -> std::same_as<std::size_t>;
};

/// Throws std::invalid_argument when the move's parameters make no sense in D dimensions.
template <class M>
concept checks_itself = requires(const M& move, std::size_t dimensions) {
    { move.check(dimensions) } -> std::same_as<void>;
};

/// Writes a proposal q for every walker x of the set, and ln(p(q -> x) / p(x -> q)) into `log_factor`.
template <class M, class G>
concept proposes_points = requires(const M& move, const view& walkers, const proposals& out,
                                   std::span<double> log_factor, G& gen) {
    { move.propose(walkers, out, log_factor, gen) } -> std::same_as<void>;
};

/// A move of the ensemble: parameters only.
/// Semantics: proposals depend on the view and on draws from `gen`; the acceptance rule that `ensemble` adds leaves p invariant.
template <class M, class G>
concept move = std::copyable<M> && divides_walkers<M> && bounds_walkers<M> && checks_itself<M> && proposes_points<M, G>;

/// A move that writes p(q -> x) / p(x -> q) itself into `log_factor`, not its logarithm, where `gives_factors(D)`: what saves a
/// logarithm per proposal. Products of it with any exp(difference of log densities) that decides anything must not overflow.
template <class M>
concept may_give_factors = requires(const M& move, std::size_t dimensions) {
    { move.gives_factors(dimensions) } -> std::same_as<bool>;
};

/// Several moves in one: hands one of them to a function in every step. What `mixture` is.
template <class M>
concept mixes_moves = requires { typename M::mixes; } && bounds_walkers<M> && checks_itself<M>;

}  // namespace tunekit::mcmc
