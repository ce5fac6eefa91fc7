// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Configurations that spread over the values of every parameter: what to measure while nothing is known.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/space/unvisited.hpp"

namespace tunekit::search::detail {

/// How often configurations used each value of each parameter. A regular value.
///
/// Cost: to add one, O(values used of all parameters) per parameter; memory O(values used).
class used_values {
public:
    /// Counts the values of `some` configurations.
    template <class Space>
    void add(const Space& space, std::span<const index> some)
    {
        const std::size_t d = space.dimensions();
        core::plain_vector<std::uint16_t> ordinals(some.size() * d);
        space.ordinals(some, ordinals);
        for (std::size_t k = 0; k < ordinals.size(); ++k) count(k % d, ordinals[k]);
        configurations_ += some.size();
    }

    /// How crowded ordinal `at` of parameter j is, where `last` is the parameter's last ordinal: the sum over
    /// configurations of
    ///     max(0, 1 - |difference of ordinals| / reach),    reach = 2 last / (configurations + 1).
    /// It is exact but for one rounding, so the order in which configurations were added does not matter.
    /// Cost: O(values used within the reach).
    [[nodiscard]] double crowd(std::size_t j, std::uint16_t at, std::uint16_t last) const;

    friend bool operator==(const used_values&, const used_values&) = default;

private:
    struct use {
        std::uint32_t value = 0;  ///< `value_of`
        std::uint32_t times = 0;

        friend bool operator==(const use&, const use&) = default;
    };

    /// A parameter and an ordinal of it in one number.
    [[nodiscard]] static std::uint32_t value_of(std::size_t j, std::size_t ordinal)
    {
        return static_cast<std::uint32_t>(j << 16 | ordinal);
    }

    /// The first used value that is not below `value`.
    [[nodiscard]] const use* from(std::uint32_t value) const;

    void count(std::size_t j, std::uint16_t ordinal);

    core::plain_vector<use> of_;  ///< by ascending value
    std::size_t configurations_ = 0;
};

/// The one of `among` uniform draws whose values are least crowded by the `used` ones. Of equals it is the earliest.
/// Empty where all draws were taken already.
///
///     const auto i = least_crowded(space, used, 64, rest, gen);
///
/// The room of a draw is the sum over parameters of 1 / (1 + its value's crowd). So each parameter's values are used
/// alike, as in a Latin hypercube, whatever the constraints. Distances between configurations are not used: they send
/// the first ones to the corners.
///
/// Randomness: one `sample` of `among`.
/// Cost:       O(among d sqrt(v)) with at most v values per parameter, whatever the number of configurations.
/// Source:     ours; the aim is that of McKay, Beckman, Conover (1979), Technometrics 21.
template <class Space, generator G>
[[nodiscard]] std::optional<index> least_crowded(const Space& space, const used_values& used, std::size_t among,
                                                 const space::unvisited& taken, G& gen)
{
    if (space.size() == 0) return std::nullopt;
    const std::vector<index> draws = space.sample(among, gen);
    const std::size_t d = space.dimensions();
    const auto cardinalities = space.cardinalities();
    core::plain_vector<std::uint16_t> rows(draws.size() * d);
    space.ordinals(draws, rows);
    std::optional<index> best;
    double most = -1;
    for (std::size_t k = 0; k < draws.size(); ++k) {
        if (taken.contains(draws[k])) continue;
        double room = 0;
        for (std::size_t j = 0; j < d; ++j)
            room += 1 / (1 + used.crowd(j, rows[k * d + j], static_cast<std::uint16_t>(cardinalities[j] - 1)));
        if (room > most) {
            most = room;
            best = draws[k];
        }
    }
    return best;
}

}  // namespace tunekit::search::detail

#if TUNEKIT_BODIES
namespace tunekit::search::detail {

TUNEKIT_INLINE const used_values::use* used_values::from(std::uint32_t value) const
{
    return std::lower_bound(of_.begin(), of_.end(), value, [](const use& u, std::uint32_t v) { return u.value < v; });
}

TUNEKIT_INLINE void used_values::count(std::size_t j, std::uint16_t ordinal)
{
    const std::uint32_t value = value_of(j, ordinal);
    use* const at = of_.begin() + (from(value) - of_.begin());
    if (at != of_.end() && at->value == value) ++at->times;
    else of_.insert(at, {value, 1});
}

TUNEKIT_INLINE double used_values::crowd(std::size_t j, std::uint16_t at, std::uint16_t last) const
{
    if (of_.empty() || last == 0) return 0;
    const std::uint64_t whole = 2 * std::uint64_t{last}, step = configurations_ + 1;
    const std::size_t reach = static_cast<std::size_t>((whole - 1) / step);  // the largest difference that counts
    const std::uint32_t here = value_of(j, at), end = value_of(j, (std::min)(at + reach, std::size_t{last}));
    std::uint64_t sum = 0;
    for (auto u = from(value_of(j, at - (std::min)(reach, std::size_t{at}))); u != of_.end() && u->value <= end; ++u)
        sum += u->times * (whole - step * (u->value < here ? here - u->value : u->value - here));
    return static_cast<double>(sum) / static_cast<double>(whole);
}

}  // namespace tunekit::search::detail
#endif  // TUNEKIT_BODIES
