// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Parameters: a name that the compiler knows and a list of values.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/space/axis.hpp"
#include "tunekit/space/name.hpp"
#include "tunekit/space/text.hpp"

namespace tunekit::space {

/// A parameter of a product. Made by `parameter`, `powers_of_two`, `split` and their like, not by hand.
template <fixed_string Name, class T>
struct named {
    static_assert(std::regular<T>, "tunekit: a parameter's value must be copyable, default constructible and comparable by ==");

    using value_type = T;
    using is_parameter = void;
    static constexpr std::string_view name = Name.view();

    std::vector<T> values;             ///< in the order of their ordinals, all different
    axis about;                        ///< the same without the type
    std::vector<std::uint16_t> order;  ///< ordinals by ascending value; empty where T has no order

    /// The ordinal of `value`. O(log values) where T has an order, O(values) else.
    [[nodiscard]] std::optional<std::uint16_t> ordinal_of(const T& value) const
    {
        if constexpr (std::totally_ordered<T>) {
            const auto at = std::lower_bound(order.begin(), order.end(), value,
                                             [&](std::uint16_t a, const T& v) { return values[a] < v; });
            if (at != order.end() && values[*at] == value) return *at;
        } else {
            for (std::size_t i = 0; i < values.size(); ++i)
                if (values[i] == value) return static_cast<std::uint16_t>(i);
        }
        return std::nullopt;
    }
};

namespace detail {

template <class T>
concept numeric_sequence = sequence<T> && !std::is_convertible_v<const T&, std::string_view> && std::is_arithmetic_v<typename T::value_type>;

/// The numbers of the values: as they are, entry by entry for sequences of one length, the ordinal for anything else.
template <class T>
void fill_numbers(axis& about, const std::vector<T>& values)
{
    if constexpr (numeric_sequence<T>) {
        const auto length = static_cast<std::size_t>(values.front().end() - values.front().begin());
        const bool even = std::all_of(values.begin(), values.end(), [&](const T& v) {
            return static_cast<std::size_t>(v.end() - v.begin()) == length;
        });
        if (even && length > 0) {
            about.columns = length;
            for (const T& v : values)
                for (const auto& entry : v) about.numbers.push_back(static_cast<float>(entry));
            return;
        }
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        if constexpr (std::is_arithmetic_v<T>)
            about.numbers.push_back(static_cast<float>(values[i]));
        else
            about.numbers.push_back(static_cast<float>(i));
    }
}

/// The values of a list; string literals become strings.
template <class T>
[[nodiscard]] auto owned(std::initializer_list<T> values)
{
    if constexpr (std::is_same_v<T, const char*>)
        return std::vector<std::string>(values.begin(), values.end());
    else
        return std::vector<T>(values);
}

/// A parameter of these values. Throws std::invalid_argument where there are none, too many, or two equal ones.
template <fixed_string Name, class T>
[[nodiscard]] named<Name, T> make_named(std::vector<T> values)
{
    named<Name, T> out;
    out.about.name = Name.view();
    check_value_count(out.about.name, values.size());
    for (std::size_t i = 0; i < values.size(); ++i) out.about.texts.push_back(text_of<T>(values[i]));
    fill_numbers(out.about, values);
    std::optional<std::size_t> twice;
    if constexpr (std::totally_ordered<T>) {
        for (std::size_t i = 0; i < values.size(); ++i) out.order.push_back(static_cast<std::uint16_t>(i));
        std::sort(out.order.begin(), out.order.end(), [&](std::uint16_t a, std::uint16_t b) {
            if (values[a] == values[b]) return a < b;
            return values[a] < values[b];
        });
        for (std::size_t i = 1; i < values.size(); ++i)
            if (values[out.order[i - 1]] == values[out.order[i]]) twice = out.order[i];
    } else {
        for (std::size_t i = 1; i < values.size(); ++i)
            if (std::find(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(i), values[i]) !=
                values.begin() + static_cast<std::ptrdiff_t>(i))
                twice = i;
    }
    if (twice)
        invalid("space: parameter '" + out.about.name + "': value " + out.about.texts[*twice] + " is there twice, want it once");
    out.values = std::move(values);
    return out;
}

}  // namespace detail

/// A list of values of any regular type: integers, enumerators, strings, structures with a `to_text` beside them.
///
///     parameter<"mr">({1, 2, 4, 6, 8, 14})
///     parameter<"algorithm">({"direct", "winograd"})      // std::string
///
/// Throws: std::invalid_argument where a list is empty, has more than 65535 values or one value twice (every kind does).
template <fixed_string Name, class T>
[[nodiscard]] auto parameter(std::vector<T> values)
{
    return detail::make_named<Name>(std::move(values));
}

template <fixed_string Name, class T>
[[nodiscard]] auto parameter(std::initializer_list<T> values)
{
    return detail::make_named<Name>(detail::owned(values));
}

/// true or false, in the order false, true.
template <fixed_string Name>
[[nodiscard]] auto boolean()
{
    return detail::make_named<Name>(std::vector<bool>{false, true});
}

/// first, first + step, ... up to `last` at most. Throws also where step < 1.
template <fixed_string Name, std::integral T>
[[nodiscard]] auto integers(T first, T last, std::type_identity_t<T> step = 1)
{
    require(step >= 1, "space: parameter '" + std::string(Name.view()) + "': step is " + std::to_string(step) + ", want at least 1");
    std::vector<T> values;
    if (first <= last) {
        // As unsigned, the width of any range of T is exact.
        const auto width = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
        const std::uint64_t steps = width / static_cast<std::uint64_t>(step);
        check_value_count(std::string(Name.view()), steps == ~std::uint64_t{0} ? steps : steps + 1);
        for (std::uint64_t i = 0; i <= steps; ++i)
            values.push_back(static_cast<T>(static_cast<std::uint64_t>(first) + i * static_cast<std::uint64_t>(step)));
    }
    return detail::make_named<Name>(std::move(values));
}

/// The powers of two in [low, high], ascending.
template <fixed_string Name, std::integral T>
[[nodiscard]] auto powers_of_two(T low, T high)
{
    std::vector<T> values;
    for (T power = 1; power <= high; power = static_cast<T>(power * 2)) {
        if (power >= low) values.push_back(power);
        if (power > high / 2) break;  // the next one would pass `high`, and perhaps T's range
    }
    return detail::make_named<Name>(std::move(values));
}

/// The divisors of `n` that are at most `limit`, ascending. Throws also where n < 1.
template <fixed_string Name, std::integral T>
[[nodiscard]] auto divisors(T n, std::type_identity_t<T> limit)
{
    require(n >= 1, "space: parameter '" + std::string(Name.view()) + "': divisors of " + std::to_string(n) + ", want a number >= 1");
    std::vector<T> values;
    for (T f = 1; f <= n / f; ++f) {
        if (n % f != 0) continue;
        if (f <= limit) values.push_back(f);
        if (f != n / f && n / f <= limit) values.push_back(n / f);
    }
    std::sort(values.begin(), values.end());
    return detail::make_named<Name>(std::move(values));
}

template <fixed_string Name, std::integral T>
[[nodiscard]] auto divisors(T n)
{
    return divisors<Name>(n, n);
}

}  // namespace tunekit::space
