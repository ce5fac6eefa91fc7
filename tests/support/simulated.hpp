// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What simulated workers and simulated ranks share: the rows that they answer with, and a setting for each of them.

#include <concepts>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/replay.hpp"

namespace support {

/// A source of recorded rows: `row(i, limits)` gives the row of index i. `recorded_rows`, `resampled_rows`, or your
/// own.
template <class R>
concept rows = requires(const R& r, tunekit::index i, const tunekit::measure::limits& within) {
    { r.row(i, within) } -> std::same_as<tunekit::measure::recorded_row>;
};

/// A setting of each of n workers; empty: `otherwise` for all. Throws std::invalid_argument for another length.
template <class T>
std::vector<T> one_each(std::vector<T> given, std::size_t n, T otherwise, const std::string& name)
{
    if (given.empty()) given.assign(n, otherwise);
    tunekit::require(given.size() == n,
                     name + " has another length than there are workers, want one per worker or none");
    return given;
}

/// The seconds of each of n workers per recorded second; empty: 1 for all. Throws std::invalid_argument for another
/// length, or where one is not positive and finite.
inline std::vector<double> slowness_of(std::vector<double> given, std::size_t n, const std::string& of)
{
    given = one_each(std::move(given), n, 1.0, of + ": slowness");
    for (const double s : given)
        tunekit::require(s > 0 && s < std::numeric_limits<double>::infinity(),
                         of + ": slowness is out of range, want > 0 and finite");
    return given;
}

}  // namespace support
