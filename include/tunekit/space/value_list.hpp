// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The values of one parameter.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/space/axis.hpp"
#include "tunekit/space/text.hpp"

namespace tunekit::space {

/// At least one and at most 65535 different values of a regular type, in the order of their ordinals.
template <class T>
class value_list {
    static_assert(std::regular<T>, "tunekit: a parameter's value must be copyable, default constructible and comparable by ==");

public:
    value_list() = default;

    /// Throws std::invalid_argument, naming parameter `name`, unless the values are as said.
    value_list(const std::string& name, std::vector<T> values) : values_(std::move(values))
    {
        check_value_count(name, values_.size());
        std::optional<std::size_t> twice;
        if constexpr (std::totally_ordered<T>) {
            for (std::size_t i = 0; i < values_.size(); ++i) order_.push_back(static_cast<std::uint16_t>(i));
            std::sort(order_.begin(), order_.end(), [&](std::uint16_t a, std::uint16_t b) { return values_[a] < values_[b]; });
            for (std::size_t i = 1; i < values_.size() && !twice; ++i)
                if (!(values_[order_[i - 1]] < values_[order_[i]])) twice = order_[i];
        } else {
            for (std::size_t i = 1; i < values_.size() && !twice; ++i)
                for (std::size_t j = 0; j < i; ++j)
                    if (values_[i] == values_[j]) twice = i;
        }
        if (twice)
            invalid("space: parameter '" + name + "': value " + text_of<T>(values_[*twice]) +
                    " is there twice, want it once");
    }

    [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
    [[nodiscard]] decltype(auto) operator[](std::size_t ordinal) const { return values_[ordinal]; }
    [[nodiscard]] auto begin() const noexcept { return values_.begin(); }
    [[nodiscard]] auto end() const noexcept { return values_.end(); }

    /// The ordinal of `value`. O(log values) where T has an order, O(values) else.
    [[nodiscard]] std::optional<std::uint16_t> find(const T& value) const
    {
        if constexpr (std::totally_ordered<T>) {
            const auto at = std::lower_bound(order_.begin(), order_.end(), value,
                                             [&](std::uint16_t a, const T& v) { return values_[a] < v; });
            if (at != order_.end() && values_[*at] == value) return *at;
        } else {
            for (std::size_t i = 0; i < values_.size(); ++i)
                if (values_[i] == value) return static_cast<std::uint16_t>(i);
        }
        return std::nullopt;
    }

private:
    std::vector<T> values_;
    std::vector<std::uint16_t> order_;  // ordinals by ascending value; empty where T has no order
};

namespace detail {

template <class T>
concept numeric_sequence =
    sequence<T> && !std::is_convertible_v<const T&, std::string_view> && std::is_arithmetic_v<typename T::value_type>;

/// The axis of some values: their texts, and their numbers as they are, entry by entry for sequences of one length, the ordinal
/// for anything else.
template <class T>
[[nodiscard]] axis axis_of(std::string name, const value_list<T>& values)
{
    axis out;
    out.name = std::move(name);
    for (std::size_t i = 0; i < values.size(); ++i) out.texts.push_back(text_of<T>(values[i]));
    if constexpr (numeric_sequence<T>) {
        const auto length = values[0].end() - values[0].begin();
        if (length > 0 && std::all_of(values.begin(), values.end(), [&](const T& v) { return v.end() - v.begin() == length; })) {
            out.columns = static_cast<std::size_t>(length);
            for (const T& v : values)
                for (const auto& entry : v) out.numbers.push_back(static_cast<float>(entry));
            return out;
        }
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        if constexpr (std::is_arithmetic_v<T>)
            out.numbers.push_back(static_cast<float>(values[i]));
        else
            out.numbers.push_back(static_cast<float>(i));
    }
    return out;
}

}  // namespace detail
}  // namespace tunekit::space
