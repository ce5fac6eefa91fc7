// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The text of a value in logs and tables.

#include <charconv>
#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "tunekit/core/config.hpp"

namespace tunekit::space {

namespace detail {

/// A `to_text(value)` in the namespace of the value's type.
template <class T>
concept has_text = requires(const T& value) {
    { to_text(value) } -> std::convertible_to<std::string>;
};

template <class T>
concept sequence = requires(const T& values) {
    values.begin();
    values.end();
    typename T::value_type;
};

/// Whether `text_of` knows what to write.
template <class T>
[[nodiscard]] constexpr bool has_words()
{
    if constexpr (has_text<T> || std::is_arithmetic_v<T> || std::is_enum_v<T> ||
                  std::is_convertible_v<const T&, std::string_view>)
        return true;
    else if constexpr (sequence<T>) return has_words<typename T::value_type>();
    else return false;
}

}  // namespace detail

/// The text of a value: `to_text(value)` if its type's namespace has one; numbers in decimal, in the shortest form
/// that reads back the same; true or false; characters and strings as they are; enumerators as numbers; sequences as
/// their entries' texts with blanks between.
template <class T>
[[nodiscard]] std::string text_of(const T& value)
{
    if constexpr (detail::has_text<T>) {
        return to_text(value);
    } else if constexpr (std::is_same_v<T, bool>) {
        return value ? "true" : "false";
    } else if constexpr (std::is_same_v<T, char>) {
        return std::string(1, value);
    } else if constexpr (std::is_arithmetic_v<T>) {
        char digits[64];
        return std::string(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
    } else if constexpr (std::is_enum_v<T>) {
        return std::to_string(static_cast<std::underlying_type_t<T>>(value));
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
        return std::string(std::string_view(value));
    } else if constexpr (detail::sequence<T>) {
        std::string out;
        for (const auto& entry : value) {
            if (!out.empty()) out += ' ';
            out += text_of(entry);
        }
        return out;
    } else {
        static_assert(detail::has_words<T>(),
                      "tunekit: a value has no text: write std::string to_text(const T&) beside its type");
    }
}

namespace detail {

/// "mr = 4, nv = 2".
[[nodiscard]] inline std::string named_texts(std::span<const std::string> names, std::span<const std::string> texts)
{
    std::string out;
    for (std::size_t j = 0; j < texts.size(); ++j) (((out += j == 0 ? "" : ", ") += names[j]) += " = ") += texts[j];
    return out;
}

}  // namespace detail

}  // namespace tunekit::space
