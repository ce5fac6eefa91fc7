// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The state of an ensemble, and the chain of its past states.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tunekit/core/error.hpp"

namespace tunekit::mcmc {

/// The positions of the walkers. A regular value: copy it to fork a run, keep it with the generator to resume one.
struct state {
    std::size_t dimensions = 0;           ///< D
    std::vector<double> positions;        ///< W x D; one walker per row
    std::vector<double> log_prob;         ///< W; the log density of each walker, -inf where it has none
    std::vector<std::uint64_t> accepted;  ///< W; number of proposals each walker accepted
    std::uint64_t steps = 0;              ///< number of proposals made for each walker

    /// The number of walkers, W.
    [[nodiscard]] std::size_t walkers() const noexcept { return log_prob.size(); }
    /// The position of walker k. Precondition: k < walkers().
    [[nodiscard]] std::span<const double> walker(std::size_t k) const
    {
        return {positions.data() + k * dimensions, dimensions};
    }

    friend bool operator==(const state&, const state&) = default;
};

/// The walkers after every `thin_by`-th step of a run.
struct chain {
    std::size_t walkers = 0;              ///< W
    std::size_t dimensions = 0;           ///< D
    std::size_t thin_by = 1;              ///< steps from one stored step to the next
    std::uint64_t steps = 0;              ///< steps made, stored or not
    std::vector<double> positions;        ///< T x W x D; step by step, one walker per row
    std::vector<double> log_prob;         ///< T x W
    std::vector<std::uint64_t> accepted;  ///< W; of `steps` proposals each

    /// The number of steps stored, T.
    [[nodiscard]] std::size_t size() const noexcept { return walkers == 0 ? 0 : log_prob.size() / walkers; }
    /// The position of walker k at stored step t. Precondition: t < size(), k < walkers.
    [[nodiscard]] std::span<const double> at(std::size_t t, std::size_t k) const
    {
        return {positions.data() + (t * walkers + k) * dimensions, dimensions};
    }
    /// The number of samples in the chain. Each is a row of D values; rows are ordered by step and then by walker.
    [[nodiscard]] std::size_t samples() const noexcept { return log_prob.size(); }
    /// The position of sample i. Precondition: i < samples().
    [[nodiscard]] std::span<const double> sample(std::size_t i) const
    {
        return {positions.data() + i * dimensions, dimensions};
    }

    friend bool operator==(const chain&, const chain&) = default;
};

/// The stored steps discard + thin - 1, discard + 2 thin - 1, ... of a chain: the chain without its burn-in, thinned by
/// steps.
///
///     const auto kept = mcmc::kept(chain, 300, 10);
///
/// A rule of thumb: discard two to five of the longest autocorrelation times, thin by half of the shortest.
/// Errors: std::invalid_argument when `thin` is 0.
[[nodiscard]] inline chain kept(const chain& all, std::size_t discard, std::size_t thin = 1)
{
    require(thin > 0, "kept: thin is 0, want >= 1");
    chain out{.walkers = all.walkers,
              .dimensions = all.dimensions,
              .thin_by = all.thin_by * thin,
              .steps = all.steps,
              .positions = {},
              .log_prob = {},
              .accepted = all.accepted};
    using difference = std::ptrdiff_t;
    const auto row = static_cast<difference>(all.walkers), wide = static_cast<difference>(all.walkers * all.dimensions);
    for (std::size_t t = discard + thin - 1; t < all.size(); t += thin) {
        const auto at = static_cast<difference>(t);
        out.positions.insert(out.positions.end(), all.positions.begin() + at * wide,
                             all.positions.begin() + (at + 1) * wide);
        out.log_prob.insert(out.log_prob.end(), all.log_prob.begin() + at * row, all.log_prob.begin() + (at + 1) * row);
    }
    return out;
}

/// Joins two runs of one sampler, the second continued from the end of the first, into the chain of one longer run.
///
///     auto chain = sampler.run(state, log_density, 1000, gen);
///     while (!enough(chain)) chain = mcmc::joined(std::move(chain), sampler.run(state, log_density, 1000, gen));
///
/// Errors: std::invalid_argument where walkers, dimensions or thinning differ, or `first` ends between two stored
/// steps.
[[nodiscard]] inline chain joined(chain first, const chain& then)
{
    require(first.walkers == then.walkers && first.dimensions == then.dimensions,
            "joined: the chains differ in walkers or dimensions, want two runs of one sampler");
    require(first.thin_by == then.thin_by, "joined: the chains are thinned differently, want two runs of one sampler");
    require(first.steps == first.size() * first.thin_by,
            "joined: the first chain does not end, or does not begin, on a stored step; join before `kept`");
    first.steps += then.steps;
    first.positions.insert(first.positions.end(), then.positions.begin(), then.positions.end());
    first.log_prob.insert(first.log_prob.end(), then.log_prob.begin(), then.log_prob.end());
    for (std::size_t k = 0; k < first.accepted.size(); ++k) first.accepted[k] += then.accepted[k];
    return first;
}

}  // namespace tunekit::mcmc
