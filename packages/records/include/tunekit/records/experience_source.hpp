// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The results of one search, as they are kept for others.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

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
