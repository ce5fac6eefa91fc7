// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Parameters that change nothing, found from measurements, and configurations that are copies of known ones.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::search {

/// How likely each parameter is idle: that a configuration costs the same where it alone is another. Unrolling does
/// nothing where a loop is not pipelined, and a compiler leaves a directive out.
///
///     q_j = (e_j + g) / (n_j + 1),   g = (sum of e + 0.1) / (sum of n + 1)
///
/// with n_j the pairs of measured configurations that differ in parameter j alone, and e_j those of them that cost the
/// same to the last bit. So a parameter of which nothing is known has the chance of all. Measured times hardly ever are
/// the same; modelled costs, sizes and counts are.
///
///     const search::idle_parameters idle(space, measured, costs);
///     if (idle.chance(j) > 0.9) ...                            // parameter j does nothing here
///     for (const double x : idle.log_new(space, candidates)) ...   // added to ln EI: copies of known ones count less
///
/// Cost:   n configurations of d parameters: O(n d log n); `log_new` at most O(n d) each, about O(n) where few are
///         idle.
/// Source: ours.
class idle_parameters {
public:
    static constexpr double least_new = 0.05;  ///< the least chance to be new that `log_new` tells

    idle_parameters() = default;

    /// From what was measured and ran. Throws std::invalid_argument where there is not one cost for each.
    template <class Space>
    idle_parameters(const Space& space, std::span<const index> measured, std::span<const double> costs)
        : idle_parameters(ordinals_of(space, measured), space.dimensions(), costs)
    {
    }

    /// q_j. Precondition: j is a parameter of the space.
    [[nodiscard]] double chance(std::size_t j) const { return chance_[j]; }

    /// ln of the chance that a configuration costs what no known one does, of each of `which`:
    ///
    ///     ln max(1 - c, least_new),   c the largest product, over the known ones, of q_j over the parameters that differ
    template <class Space>
    [[nodiscard]] std::vector<double> log_new(const Space& space, std::span<const index> which) const
    {
        std::vector<double> out;
        out.reserve(which.size());
        const core::plain_vector<std::uint16_t> rows = ordinals_of(space, which);
        const std::size_t d = space.dimensions();
        core::plain_vector<std::uint16_t> row(d);
        for (std::size_t k = 0; k < which.size(); ++k) {
            for (std::size_t j = 0; j < order_.size(); ++j) row[j] = rows[k * d + order_[j]];
            out.push_back(std::log((std::max)(1 - copy(row.data()), least_new)));
        }
        return out;
    }

    friend bool operator==(const idle_parameters&, const idle_parameters&) = default;

private:
    idle_parameters(core::plain_vector<std::uint16_t> rows, std::size_t d, std::span<const double> costs);

    template <class Space>
    [[nodiscard]] static core::plain_vector<std::uint16_t> ordinals_of(const Space& space, std::span<const index> which)
    {
        core::plain_vector<std::uint16_t> out(which.size() * space.dimensions());
        space.ordinals(which, out);
        return out;
    }

    /// The chance that a row, in the order of `rows_`, is a copy of a known one; 0 where it is small.
    [[nodiscard]] double copy(const std::uint16_t* row) const;

    std::vector<double> chance_;              // of each parameter
    std::vector<std::size_t> order_;          // the parameters, the least idle first: products fall soonest
    core::plain_vector<std::uint16_t> rows_;  // the known ones, in that order of parameters
};

}  // namespace tunekit::search

#if TUNEKIT_BODIES
namespace tunekit::search {

TUNEKIT_INLINE idle_parameters::idle_parameters(core::plain_vector<std::uint16_t> rows, std::size_t d,
                                                std::span<const double> costs)
    : chance_(d), order_(d)
{
    require(rows.size() == costs.size() * d, "search::idle_parameters: not one cost for each configuration");
    const std::size_t n = costs.size();
    const auto mixed = [](std::uint64_t x) {  // of splitmix64
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
        return x ^ (x >> 31);
    };
    const auto part = [&](std::size_t i, std::size_t j) {
        return mixed((std::uint64_t{j} << 16 | rows[i * d + j]) + 0x9e3779b97f4a7c15U);
    };
    std::vector<std::uint64_t> whole(n, 0);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < d; ++j) whole[i] ^= part(i, j);
    // Rows without parameter j that are the same stand beside each other, and among these the same costs.
    std::vector<double> pairs(d, 0), same(d, 0);
    std::vector<std::pair<std::uint64_t, double>> others(n);
    for (std::size_t j = 0; j < d; ++j) {
        for (std::size_t i = 0; i < n; ++i) others[i] = {whole[i] ^ part(i, j), costs[i]};
        std::sort(others.begin(), others.end());
        double row = 0, cost = 0;  // so many before with this row, and with this cost, too
        for (std::size_t i = 1; i < n; ++i) {
            row = others[i].first == others[i - 1].first ? row + 1 : 0;
            cost = row > 0 && others[i].second == others[i - 1].second ? cost + 1 : 0;
            pairs[j] += row;
            same[j] += cost;
        }
    }
    const double all =
        std::accumulate(same.begin(), same.end(), 0.1) / std::accumulate(pairs.begin(), pairs.end(), 1.0);
    for (std::size_t j = 0; j < d; ++j) chance_[j] = (same[j] + all) / (pairs[j] + 1);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::sort(order_.begin(), order_.end(),
              [&](std::size_t a, std::size_t b) { return chance_[a] != chance_[b] ? chance_[a] < chance_[b] : a < b; });
    rows_.reserve(rows.size());
    for (std::size_t i = 0; i < n; ++i)
        for (const std::size_t j : order_) rows_.push_back(rows[i * d + j]);
}

TUNEKIT_INLINE double idle_parameters::copy(const std::uint16_t* row) const
{
    const std::size_t d = order_.size();
    double most = least_new;  // what is less changes nothing that matters
    for (std::size_t i = 0; i < rows_.size(); i += d) {
        double p = 1;
        for (std::size_t j = 0; j < d && p > most; ++j)
            if (row[j] != rows_[i + j]) p *= chance_[order_[j]];
        most = (std::max)(most, p);
    }
    return most > least_new ? most : 0;
}

}  // namespace tunekit::search
#endif  // TUNEKIT_BODIES
