// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A parameter without its type: what a grid keeps of it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "tunekit/core/error.hpp"

namespace tunekit::space {

/// The most values that one parameter may have: ordinals are 16 bits wide.
inline constexpr std::size_t most_values = 65535;

/// Name, texts and numbers of a parameter's values, in their order.
struct axis {
    std::string name;
    std::vector<std::string> texts;      ///< one per value
    std::size_t columns = 1;             ///< numbers per value
    std::vector<float> numbers;          ///< values x columns, row-major
    std::size_t pairs = 0;               ///< how many ways two entries of a value can trade places; 0 unless a permutation
    std::vector<std::uint16_t> swapped;  ///< values x pairs: the ordinal after the trade, the value's own where there is none
};

/// Throws std::invalid_argument, naming the parameter, unless `values` is in [1, most_values].
inline void check_value_count(const std::string& name, std::uint64_t values)
{
    require(values > 0, "space: parameter '" + name + "': has no values, want at least one");
    require(values <= most_values, "space: parameter '" + name + "': has " +
                                       (values == ~std::uint64_t{0} ? "too many" : std::to_string(values)) +
                                       " values, want at most " + std::to_string(most_values));
}

}  // namespace tunekit::space
