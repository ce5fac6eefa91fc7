// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Names that the compiler knows.

#include <array>
#include <cstddef>
#include <string_view>

#include "tunekit/core/config.hpp"

namespace tunekit::space::detail {

/// A string literal as a template argument: `parameter<"mr">`.
template <std::size_t N>
struct fixed_string {
    char chars[N]{};

    constexpr fixed_string(const char (&text)[N])  // implicit: a literal is what one writes
    {
        for (std::size_t i = 0; i < N; ++i) chars[i] = text[i];
    }

    [[nodiscard]] constexpr std::string_view view() const noexcept { return {chars, N - 1}; }

    friend constexpr bool operator==(const fixed_string&, const fixed_string&) = default;
};

/// Where `name` stands among `names`; `names.size()` where it does not.
template <std::size_t N>
[[nodiscard]] constexpr std::size_t position_of(std::string_view name, const std::array<std::string_view, N>& names)
{
    std::size_t at = 0;
    while (at < N && names[at] != name) ++at;
    return at;
}

}  // namespace tunekit::space::detail
