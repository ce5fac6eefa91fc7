// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The names of an enumeration's values.

#include <cstddef>
#include <initializer_list>

#include "tunekit/core/config.hpp"

namespace tunekit::core {

/// The name of a value of an enumeration whose values are 0, 1, 2, ...: `names` are in their order. "?" for a value
/// without a name. A `to_text(side s)` returns `core::name_of(s, {"left", "right"})`.
template <class Enum>
[[nodiscard]] constexpr const char* name_of(Enum value, std::initializer_list<const char*> names) noexcept
{
    const auto at = static_cast<std::size_t>(value);
    return at < names.size() ? names.begin()[at] : "?";
}

}  // namespace tunekit::core
