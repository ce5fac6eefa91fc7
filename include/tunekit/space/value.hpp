// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Values with the names of their parameters, of which a space makes a configuration.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/space/parameter.hpp"
#include "tunekit/space/text.hpp"

namespace tunekit {

namespace space::detail {

/// A value for the parameter called `Name`.
template <fixed_string Name, class T>
struct named_value {
    static constexpr std::string_view name = Name.view();
    T value;
};

// Checkers are classes, so that a compiler names the parameter beside the sentence.

template <class NamedValue, std::size_t Parameters>
struct is_of_the_space {
    static_assert(Parameters == 1, "tunekit: of: no parameter of this name");
    static constexpr bool value = Parameters == 1;
};

template <class Parameter, std::size_t Values>
struct is_given_once {
    static_assert(Values != 0, "tunekit: of: a parameter has no value, want one of each: tk::value<\"name\">(...)");
    static_assert(Values < 2, "tunekit: of: a parameter has two values, want one of each");
    static constexpr bool value = Values == 1;
};

template <class Parameter, class T>
struct takes {
    static constexpr bool value = std::is_constructible_v<typename Parameter::value_type, const T&>;
    static_assert(value, "tunekit: of: the value has another type than those of its parameter");
};

/// Says that a parameter does not have the value. Both are texts.
[[noreturn]] inline void no_such_value(std::string_view name, const std::string& value)
{
    invalid(
        {"space: of: parameter '", name, "' does not have the value ", value.substr(0, 80), ", want one of its list"});
}

/// Says that a constraint does not hold.
[[noreturn]] inline void no_configuration(const std::vector<std::string>& texts, std::span<const std::string> names)
{
    invalid({"space: of: ", named_texts(names, texts), " breaks a constraint, want a configuration of the space"});
}

/// The integer below a number. Throws where no integer of 64 bits is near it, or it is NaN: such a cast has no meaning.
template <class T, class V>
[[nodiscard]] T truncated(std::string_view name, V number)
{
    if (!(number > -0x1p63 && number < 0x1p63)) no_such_value(name, text_of(number));
    return static_cast<T>(static_cast<std::int64_t>(number));
}

/// The value of `Parameter` among some. Throws where the parameter's type cannot hold it.
template <class Parameter, class... Given>
[[nodiscard]] typename Parameter::value_type value_among(const Given&... given)
{
    using T = typename Parameter::value_type;
    T out{};
    const auto look = [&out]<class One>(const One& one) {
        if constexpr (One::name == Parameter::name) {
            using V = decltype(One::value);
            if constexpr (std::is_integral_v<T> && std::is_floating_point_v<V>)
                out = truncated<T>(Parameter::name, one.value);
            else if constexpr (takes<Parameter, V>::value) out = static_cast<T>(one.value);
            if constexpr (std::is_arithmetic_v<T> && std::is_arithmetic_v<V>)
                if (static_cast<V>(out) != one.value || (out < T{}) != (one.value < V{}))
                    no_such_value(Parameter::name, text_of(one.value));
        }
    };
    (look(given), ...);
    return out;
}

/// Whether each parameter has one value, and each value a parameter.
template <class... Parameters, class... Given>
[[nodiscard]] consteval bool one_of_each(std::type_identity<std::tuple<Parameters...>>,
                                         std::type_identity<std::tuple<Given...>>)
{
    const auto parameters = [](std::string_view name) {
        return (std::size_t{0} + ... + std::size_t{Parameters::name == name});
    };
    const auto values = [](std::string_view name) { return (std::size_t{0} + ... + std::size_t{Given::name == name}); };
    return (is_of_the_space<Given, parameters(Given::name)>::value && ...) &&
           (is_given_once<Parameters, values(Parameters::name)>::value && ...);
}

}  // namespace space::detail

/// A value for the parameter called `Name`, of which a product makes a configuration.
///
///     const tk::space::product tiles{tk::space::integers<"rows">(1, 64), tk::space::integers<"columns">(1, 8)};
///     const auto untuned = tiles.of(tk::value<"rows">(32), tk::value<"columns">(8));
template <space::detail::fixed_string Name, class T>
[[nodiscard]] constexpr auto value(const T& v)
{
    if constexpr (std::is_convertible_v<const T&, std::string> && !std::is_same_v<T, std::string>)
        return space::detail::named_value<Name, std::string>{v};
    else return space::detail::named_value<Name, T>{v};
}

}  // namespace tunekit
