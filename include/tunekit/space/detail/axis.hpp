// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Parameters and constraints without their types: what a grid is built from.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/error.hpp"

namespace tunekit::space::detail {

/// The most values that one parameter may have: ordinals are 16 bits wide.
inline constexpr std::size_t most_values = 65535;

/// Name, texts and numbers of a parameter's values, in their order.
struct axis {
    std::string name;
    std::vector<std::string> texts;  ///< one per value
    std::size_t columns = 1;         ///< numbers per value
    std::vector<float> numbers;      ///< values x columns, row-major
    std::size_t pairs = 0;           ///< how many ways two entries of a value can trade places; 0 unless a permutation
    std::vector<std::uint16_t>
        swapped;  ///< values x pairs: the ordinal after the trade, the value's own where there is none
};

/// A condition on some parameters, known to a grid by their positions. What it points to is used during construction only.
struct condition {
    std::string (*text)(const void* context) = nullptr;  ///< what error messages call it
    std::span<const std::size_t> scope{};                ///< the positions of the parameters that it depends on
    const void* context = nullptr;
    /// `row`: ordinals by position; those in scope are set.
    bool (*holds)(const void* context, const std::uint16_t* row) = nullptr;
    bool names_itself = false;  ///< its exceptions do
};

/// Throws std::invalid_argument("tunekit: space: parameter '<name>': <what>").
[[noreturn, gnu::cold]] void invalid_parameter(std::string_view name, std::string_view what);

/// Throws std::invalid_argument, naming the parameter, unless `values` is in [1, most_values].
void check_value_count(std::string_view name, std::uint64_t values);

}  // namespace tunekit::space::detail

#if TUNEKIT_BODIES
namespace tunekit::space::detail {

TUNEKIT_INLINE void invalid_parameter(std::string_view name, std::string_view what)
{
    invalid({"space: parameter '", name, "': ", what});
}

TUNEKIT_INLINE void check_value_count(std::string_view name, std::uint64_t values)
{
    if (values == 0) invalid_parameter(name, "has no values, want at least one");
    if (values <= most_values) return;
    invalid({"space: parameter '", name, "': has ", values == ~std::uint64_t{0} ? "too many" : std::to_string(values),
             " values, want at most 65535"});
}

}  // namespace tunekit::space::detail
#endif  // TUNEKIT_BODIES
