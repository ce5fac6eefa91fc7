// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The parts of a product: parameters, each a name that the compiler knows and a list of values, and constraints
/// between them.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/space/detail/axis.hpp"

namespace tunekit::space {

namespace detail {

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

/// A parameter of a product. `parameter`, `powers_of_two`, `split` and similar functions make it.
template <fixed_string Name, class T>
struct named {
    using value_type = T;                                  ///< the type of a value
    using is_parameter = void;                             ///< marks a parameter
    static constexpr std::string_view name = Name.view();  ///< as in `get<"name">`

    value_list<T> values;  ///< in the order of their ordinals
    axis about;            ///< the same without the type
};

/// The values of a list; string literals become strings.
template <class T>
[[nodiscard]] auto owned(std::initializer_list<T> values)
{
    if constexpr (std::is_same_v<T, const char*>) return std::vector<std::string>(values.begin(), values.end());
    else return std::vector<T>(values);
}

/// A parameter of these values. Throws as value_list does.
template <fixed_string Name, class T>
[[nodiscard]] named<Name, T> make_named(std::vector<T>&& values)
{
    value_list<T> list(Name.view(), std::move(values));
    axis about = axis_of(Name.view(), list);
    return {std::move(list), std::move(about)};
}

// The lists behind the parameters know the name at run time only: one instance serves parameters of every name.

template <class T>
[[nodiscard]] std::vector<T> integer_list(std::string_view name, T first, T last, T step)
{
    if (step < 1) invalid({"space: parameter '", name, "': step is ", std::to_string(step), ", want at least 1"});
    std::vector<T> values;
    if (first > last) return values;
    // As unsigned, the width of any range of T is exact.
    const auto width = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
    const std::uint64_t steps = width / static_cast<std::uint64_t>(step);
    check_value_count(name, steps == ~std::uint64_t{0} ? steps : steps + 1);
    for (std::uint64_t i = 0; i <= steps; ++i)
        values.push_back(static_cast<T>(static_cast<std::uint64_t>(first) + i * static_cast<std::uint64_t>(step)));
    return values;
}

template <class T>
[[nodiscard]] std::vector<T> power_list(T low, T high)
{
    std::vector<T> values;
    for (T power = 1; power <= high; power = static_cast<T>(power * 2)) {
        if (power >= low) values.push_back(power);
        if (power > high / 2) break;  // the next one would pass `high`, and perhaps T's range
    }
    return values;
}

template <class T>
[[nodiscard]] std::vector<T> divisor_list(std::string_view name, T n, T limit)
{
    if (n < 1) invalid({"space: parameter '", name, "': divisors of ", std::to_string(n), ", want a number >= 1"});
    std::vector<T> values;
    for (T f = 1; f <= n / f; ++f)
        if (n % f == 0 && f <= limit) values.push_back(f);
    for (std::size_t i = values.size(); i-- > 0;)  // the other half, ascending
        if (const T other = static_cast<T>(n / values[i]); other != values[i] && other <= limit)
            values.push_back(other);
    return values;
}

/// A constraint of a product. `where` and `active_if` make it. With `Conditional` the predicate decides from the other
/// names whether the first parameter is used.
template <bool Conditional, class Predicate, fixed_string... Names>
struct constraint {
    static_assert(sizeof...(Names) > 0, "tunekit: where: names no parameter");
    static_assert(!Conditional || sizeof...(Names) > 1, "tunekit: active_if: names no parameter that decides");

    using is_constraint = void;                       ///< marks a constraint
    static constexpr bool conditional = Conditional;  ///< whether `active_if` made it
    /// The names of the parameters that it is about.
    static constexpr std::array<std::string_view, sizeof...(Names)> names{Names.view()...};

    Predicate predicate;  ///< of the values

    /// The name of the constraint in error messages: `where<mr, nv>`. The argument is not read.
    [[nodiscard]] static std::string text(const void* = nullptr)
    {
        std::string out = Conditional ? "active_if<" : "where<";
        for (std::size_t i = 0; i < names.size(); ++i) (out += i == 0 ? "" : ", ") += names[i];
        return out += '>';
    }
};

}  // namespace detail

/// A parameter with a list of values of any regular type: integers, enumerators, strings, structures with a `to_text`
/// in their namespace.
///
///     parameter<"mr">({1, 2, 4, 6, 8, 14})
///     parameter<"algorithm">({"direct", "winograd"})      // std::string
///
/// Throws: std::invalid_argument if a list is empty, has more than 65535 values or one value twice. All functions
/// that make a parameter do.
template <detail::fixed_string Name, class T>
[[nodiscard]] auto parameter(std::vector<T> values)
{
    return detail::make_named<Name, T>(std::move(values));
}

template <detail::fixed_string Name, class T>
[[nodiscard]] auto parameter(std::initializer_list<T> values)
{
    return detail::make_named<Name>(detail::owned(values));
}

/// Says where the values go.
template <detail::fixed_string Name, class T, class... More>
    requires(sizeof...(More) > 0)
auto parameter(const T& first, const More&...)
{
    static_assert(sizeof...(More) == 0, "tunekit: parameter<name>(1, 2, 3): want the values in braces: ({1, 2, 3})");
    return parameter<Name>({first});  // reached by no program: the assertion above is the one message
}

/// A parameter with the values false and true, in this order.
template <detail::fixed_string Name>
[[nodiscard]] auto boolean()
{
    return detail::make_named<Name>(std::vector<bool>{false, true});
}

/// A parameter with the values first, first + step, ... up to `last` at most. Throws also if step < 1.
template <detail::fixed_string Name, std::integral T>
[[nodiscard]] auto integers(T first, T last, std::type_identity_t<T> step = 1)
{
    return detail::make_named<Name>(detail::integer_list(Name.view(), first, last, step));
}

/// A parameter whose values are the powers of two in [low, high], ascending.
template <detail::fixed_string Name, std::integral T>
[[nodiscard]] auto powers_of_two(T low, T high)
{
    return detail::make_named<Name>(detail::power_list(low, high));
}

/// A parameter whose values are the divisors of `n` that are at most `limit`, ascending. Throws also if n < 1.
template <detail::fixed_string Name, std::integral T>
[[nodiscard]] auto divisors(T n, std::type_identity_t<T> limit)
{
    return detail::make_named<Name>(detail::divisor_list(Name.view(), n, limit));
}

template <detail::fixed_string Name, std::integral T>
[[nodiscard]] auto divisors(T n)
{
    return divisors<Name>(n, n);
}

/// A constraint that keeps the configurations whose values of the named parameters fulfil `predicate`.
///
///     where<"mr", "nv">([](int mr, int nv) { return mr * nv + nv + 1 <= 34; })
///
/// The predicate gets the values in the order of the names and must depend on nothing else. It is called while the
/// product is built, once for each combination that is needed, and never afterwards. If it throws, the product throws a
/// std::invalid_argument that names the constraint.
template <detail::fixed_string... Names, class Predicate>
[[nodiscard]] auto where(Predicate predicate)
{
    return detail::constraint<false, Predicate, Names...>{std::move(predicate)};
}

/// A constraint that makes the first named parameter conditional. `predicate` takes the values of the other names.
/// If it is false, the parameter is not used and always has its first value, so that no two configurations differ
/// only in it.
///
///     active_if<"tile", "algorithm">([](algorithm a) { return a == algorithm::winograd; })
///
/// Neighbours: one parameter changes at a time. So a step to a configuration without `tile` begins where `tile` has its
/// first value.
template <detail::fixed_string... Names, class Predicate>
[[nodiscard]] auto active_if(Predicate predicate)
{
    return detail::constraint<true, Predicate, Names...>{std::move(predicate)};
}

}  // namespace tunekit::space
