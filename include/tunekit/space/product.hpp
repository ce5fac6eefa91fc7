// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Spaces over typed, named parameters.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/space/condition.hpp"
#include "tunekit/space/grid.hpp"
#include "tunekit/space/name.hpp"
#include "tunekit/space/parameter.hpp"
#include "tunekit/space/permutation.hpp"
#include "tunekit/space/split.hpp"
#include "tunekit/space/where.hpp"

namespace tunekit {
namespace space {

/// One value per parameter, read by `tunekit::get<"name">`. A regular value.
template <class... Parameters>
struct configuration {
    static constexpr std::array<std::string_view, sizeof...(Parameters)> names{Parameters::name...};

    std::tuple<typename Parameters::value_type...> values;

    friend bool operator==(const configuration&, const configuration&) = default;
};

namespace detail {

template <class Part>
concept parameter_part = requires { typename Part::is_parameter; };

template <class Part>
concept constraint_part = requires { typename Part::is_constraint; };

// By concept and not by partial specialisation: nvcc does not match those over templates with string parameters.
template <class Part>
[[nodiscard]] constexpr auto if_parameter()
{
    if constexpr (parameter_part<Part>)
        return std::tuple<std::type_identity<Part>>{};
    else
        return std::tuple<>{};
}

template <class... Parameters>
configuration<Parameters...> configuration_over(std::tuple<std::type_identity<Parameters>...>);

/// Where the parameters stand among the parts.
template <class... Parts>
[[nodiscard]] constexpr auto parameter_places()
{
    std::array<std::size_t, (std::size_t{0} + ... + std::size_t{parameter_part<Parts>})> out{};
    std::size_t n = 0, place = 0;
    const auto look = [&](bool is) {
        if (is) out[n++] = place;
        ++place;
    };
    (look(parameter_part<Parts>), ...);
    return out;
}

template <std::size_t N>
[[nodiscard]] constexpr bool all_distinct(const std::array<std::string_view, N>& names)
{
    for (std::size_t i = 0; i < N; ++i)
        for (std::size_t j = i + 1; j < N; ++j)
            if (names[i] == names[j]) return false;
    return true;
}

}  // namespace detail

/// The configurations over some parameters that fulfil some constraints: a search_space, and typed.
///
///     const space::product tiles{
///         space::parameter<"mr">({1, 2, 4, 6, 8, 14}),
///         space::parameter<"nv">({1, 2, 3, 4}),
///         space::where<"mr", "nv">([](int mr, int nv) { return mr * nv + nv + 1 <= 34; }),
///     };
///     const auto c = tiles.at(7);
///     run(tunekit::get<"mr">(c), tunekit::get<"nv">(c));
///
/// Parts come in any order; the order of the parameters is that of the ordinals and of the index (see `grid`).
/// Throws: std::invalid_argument as `grid` does.
template <class... Parts>
class product : public grid {
    static constexpr auto places = detail::parameter_places<Parts...>();  // by parameter: its part

    static_assert(((detail::parameter_part<Parts> || detail::constraint_part<Parts>) && ...),
                  "tunekit: product: a part is neither a parameter nor a constraint");
    static_assert(places.size() > 0, "tunekit: product: has no parameters");

public:
    using config = decltype(detail::configuration_over(std::tuple_cat(detail::if_parameter<Parts>()...)));

    static_assert(detail::all_distinct(config::names), "tunekit: product: two parameters have one name");

    explicit product(Parts... parts) : product(std::tuple<Parts...>(std::move(parts)...)) {}

    /// The configuration of index `i`. Precondition: i < size().
    [[nodiscard]] config at(index i) const
    {
        std::array<std::uint16_t, places.size()> row{};
        ordinals({&i, 1}, row);
        return [&]<std::size_t... J>(std::index_sequence<J...>) {
            return config{{parameter_at<J>(parts_).values[row[J]]...}};
        }(std::make_index_sequence<places.size()>{});
    }

    /// The index of a configuration; empty where a value is not in its parameter's list or a constraint fails.
    [[nodiscard]] std::optional<index> index_of(const config& c) const
    {
        std::array<std::uint16_t, places.size()> row{};
        const bool known = [&]<std::size_t... J>(std::index_sequence<J...>) {
            return (find<J>(std::get<J>(c.values), row[J]) && ...);
        }(std::make_index_sequence<places.size()>{});
        return known ? index_of_ordinals(row) : std::nullopt;
    }

private:
    explicit product(std::tuple<Parts...>&& parts) : grid(axes_of(parts), conditions_of(parts)), parts_(std::move(parts)) {}

    template <std::size_t J>
    [[nodiscard]] static const auto& parameter_at(const std::tuple<Parts...>& parts)
    {
        return std::get<places[J]>(parts);
    }

    template <std::size_t J, class T>
    [[nodiscard]] bool find(const T& value, std::uint16_t& ordinal) const
    {
        const auto at = parameter_at<J>(parts_).values.find(value);
        if (at) ordinal = *at;
        return at.has_value();
    }

    [[nodiscard]] static std::vector<axis> axes_of(std::tuple<Parts...>& parts)
    {
        std::vector<axis> out;
        std::apply([&](auto&... part) { (take_axis(part, out), ...); }, parts);
        return out;
    }

    template <class Part>
    static void take_axis(Part& part, std::vector<axis>& out)
    {
        if constexpr (detail::parameter_part<Part>) out.push_back(std::move(part.about));
    }

    [[nodiscard]] static std::vector<condition> conditions_of(const std::tuple<Parts...>& parts)
    {
        std::vector<condition> out;
        const auto add = [&]<std::size_t... K>(std::index_sequence<K...>) { (add_condition<K>(parts, out), ...); };
        add(std::index_sequence_for<Parts...>{});
        return out;
    }

    /// Where a constraint's names stand among the parameters; places.size() for one that is none.
    template <class Part>
    static constexpr auto positions = [] {
        std::array<std::size_t, Part::names.size()> out{};
        for (std::size_t k = 0; k < out.size(); ++k) out[k] = position_of(Part::names[k], config::names);
        return out;
    }();

    template <class Part>
    static constexpr bool names_found = [] {
        for (const std::size_t p : positions<Part>)
            if (p == places.size()) return false;
        return true;
    }();

    /// The positions of the parameters whose values the predicate takes.
    template <class Part, std::size_t K>
    static constexpr std::size_t argument = positions<Part>[K + (Part::conditional ? 1 : 0)];

    template <class Part>
    using arguments = std::make_index_sequence<Part::names.size() - (Part::conditional ? 1 : 0)>;

    template <std::size_t J>
    using value_of = const typename std::tuple_element_t<places[J], std::tuple<Parts...>>::value_type&;

    template <class Part, std::size_t... K>
    [[nodiscard]] static constexpr bool takes_values(std::index_sequence<K...>)
    {
        return std::is_invocable_r_v<bool, const decltype(Part::predicate)&, value_of<argument<Part, K>>...>;
    }

    template <std::size_t K>
    static void add_condition(const std::tuple<Parts...>& parts, std::vector<condition>& out)
    {
        using part = std::tuple_element_t<K, std::tuple<Parts...>>;
        if constexpr (detail::constraint_part<part>) {
            static_assert(names_found<part>, "tunekit: where, active_if: no parameter of this name");
            if constexpr (names_found<part>) {
                constexpr bool callable = takes_values<part>(arguments<part>{});
                static_assert(callable, "tunekit: where, active_if: the predicate does not take the values of these parameters");
                if constexpr (callable)
                    out.push_back({part::text(), {positions<part>.begin(), positions<part>.end()}, &parts, &holds<K>});
            }
        }
    }

    /// Whether constraint K holds for a row of ordinals.
    template <std::size_t K>
    static bool holds(const void* context, const std::uint16_t* row)
    {
        using part = std::tuple_element_t<K, std::tuple<Parts...>>;
        const auto& parts = *static_cast<const std::tuple<Parts...>*>(context);
        if (part::conditional && row[positions<part>[0]] == 0) return true;
        return check(std::get<K>(parts), parts, row, arguments<part>{});
    }

    template <class Part, std::size_t... K>
    static bool check(const Part& part, const std::tuple<Parts...>& parts, const std::uint16_t* row, std::index_sequence<K...>)
    {
        return part.predicate(parameter_at<argument<Part, K>>(parts).values[row[argument<Part, K>]]...);
    }

    std::tuple<Parts...> parts_;
};

template <class... Parts>
product(Parts...) -> product<Parts...>;

}  // namespace space

/// The value of the parameter called `Name` in a configuration.
///
///     const int mr = tunekit::get<"mr">(configuration);
template <space::fixed_string Name, class... Parameters>
[[nodiscard]] constexpr const auto& get(const space::configuration<Parameters...>& c) noexcept
{
    constexpr std::size_t at = space::position_of(Name.view(), space::configuration<Parameters...>::names);
    static_assert(at < sizeof...(Parameters), "tunekit: get: no parameter of this name");
    if constexpr (at < sizeof...(Parameters)) return std::get<at>(c.values);
    else return Name;  // reached by no program: the assertion above is the one message
}

template <space::fixed_string Name, class... Parameters>
[[nodiscard]] constexpr auto& get(space::configuration<Parameters...>& c) noexcept
{
    constexpr std::size_t at = space::position_of(Name.view(), space::configuration<Parameters...>::names);
    static_assert(at < sizeof...(Parameters), "tunekit: get: no parameter of this name");
    if constexpr (at < sizeof...(Parameters)) return std::get<at>(c.values);
    else return c;  // reached by no program: the assertion above is the one message
}

}  // namespace tunekit
