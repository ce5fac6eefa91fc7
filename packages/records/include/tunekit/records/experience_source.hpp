// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The results of one search, as they are kept for others.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/error.hpp"

namespace tunekit {

/// The results of one search: parameters by name, values by text. It needs no space to be read.
///
/// Memory: 2 bytes per value of a result and 16 per result; each different value's text once.
struct experience_source {
    /// A parameter with the values that its results have.
    struct parameter {
        std::string name;                   ///< by which it is matched with that of another space
        std::vector<std::string> values{};  ///< texts, all different, in the order in which results had them

        friend bool operator==(const parameter&, const parameter&) = default;
    };

    /// What came of one configuration.
    struct result {
        double cost = std::numeric_limits<double>::infinity();  ///< > 0, in the search's own unit; +inf: it failed
        bool at_least = false;                                  ///< it was cut short: its cost is not below `cost`

        [[nodiscard]] bool failed() const noexcept
        {
            return !(cost > 0) || !std::isfinite(cost);
        }  ///< or no cost at all
        [[nodiscard]] bool ok() const noexcept { return !failed() && !at_least; }  ///< whether the cost is whole

        friend bool operator==(const result&, const result&) = default;
    };

    std::string name{};                   ///< such as that of its log or device
    std::string machine{};                ///< the key of the machine or device; empty: not told
    std::vector<parameter> parameters{};  ///< one at least
    std::vector<std::uint16_t> rows{};    ///< results x parameters, row-major: positions among the parameter's values
    std::vector<result> results{};        ///< in the order of their answers

    /// Adds a result; one text per parameter. A cost that is not a positive finite number counts as a failure. False,
    /// and nothing is added, where a parameter would have more than 65535 values. Throws std::invalid_argument where
    /// the texts are not one per parameter. Cost: O(values).
    bool add(std::span<const std::string> texts, result r);

    /// The names of the parameters.
    [[nodiscard]] std::vector<std::string> names() const;
    /// The texts of the values of result k, one per parameter. Precondition: k < results.size().
    [[nodiscard]] std::vector<std::string> texts(std::size_t k) const;
    /// The place of the lowest whole cost, the earliest of equals; else `results.size()`.
    [[nodiscard]] std::size_t best() const noexcept;
    /// The number of whole costs.
    [[nodiscard]] std::size_t valid() const noexcept;

    friend bool operator==(const experience_source&, const experience_source&) = default;
};

}  // namespace tunekit

#if TUNEKIT_BODIES || defined(TUNEKIT_RECORDS_BODIES)
namespace tunekit {

TUNEKIT_INLINE bool experience_source::add(std::span<const std::string> texts, result r)
{
    constexpr std::size_t most = 65535;
    require(texts.size() == parameters.size(), "experience: the values are not one per parameter, want as many");
    std::vector<std::uint16_t> row;
    for (std::size_t j = 0; j < texts.size(); ++j) {
        const auto& values = parameters[j].values;
        const auto at = static_cast<std::size_t>(std::find(values.begin(), values.end(), texts[j]) - values.begin());
        if (at >= most) return false;
        row.push_back(static_cast<std::uint16_t>(at));
    }
    for (std::size_t j = 0; j < texts.size(); ++j)
        if (row[j] == parameters[j].values.size()) parameters[j].values.push_back(texts[j]);
    if (r.failed()) r = {};
    rows.insert(rows.end(), row.begin(), row.end());
    results.push_back(r);
    return true;
}

TUNEKIT_INLINE std::vector<std::string> experience_source::names() const
{
    std::vector<std::string> out;
    for (const parameter& p : parameters) out.push_back(p.name);
    return out;
}

TUNEKIT_INLINE std::vector<std::string> experience_source::texts(std::size_t k) const
{
    std::vector<std::string> out;
    for (std::size_t j = 0; j < parameters.size(); ++j)
        out.push_back(parameters[j].values[rows[k * parameters.size() + j]]);
    return out;
}

TUNEKIT_INLINE std::size_t experience_source::best() const noexcept
{
    std::size_t out = results.size();
    for (std::size_t k = 0; k < results.size(); ++k)
        if (results[k].ok() && (out == results.size() || results[k].cost < results[out].cost)) out = k;
    return out;
}

TUNEKIT_INLINE std::size_t experience_source::valid() const noexcept
{
    return static_cast<std::size_t>(
        std::count_if(results.begin(), results.end(), [](const result& r) { return r.ok(); }));
}

}  // namespace tunekit
#endif  // TUNEKIT_BODIES
