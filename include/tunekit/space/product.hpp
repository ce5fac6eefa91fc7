// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Product spaces over typed, named parameters.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tunekit/space/detail/axis.hpp"
#include "tunekit/space/detail/grid.hpp"
#include "tunekit/space/parameter.hpp"
#include "tunekit/space/value.hpp"

namespace tunekit {
namespace space {

/// One value per parameter, read with `tunekit::get<"name">`. A regular value.
template <class... Parameters>
struct configuration {
    /// The names of the parameters, in order.
    static constexpr std::array<std::string_view, sizeof...(Parameters)> names{Parameters::name...};

    std::tuple<typename Parameters::value_type...> values;  ///< one per parameter, in order

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
    if constexpr (parameter_part<Part>) return std::tuple<std::type_identity<Part>>{};
    else return std::tuple<>{};
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

/// Whether the values of a parameter can be written.
template <class Part>
[[nodiscard]] constexpr bool values_have_text()
{
    if constexpr (parameter_part<Part>) return has_words<typename Part::value_type>();
    else return true;
}

/// Whether the names of a constraint are those of parameters; a parameter has none to know.
template <class Part, class Config>
[[nodiscard]] constexpr bool names_known()
{
    if constexpr (constraint_part<Part>) {
        for (const std::string_view name : Part::names)
            if (position_of(name, Config::names) == Config::names.size()) return false;
    }
    return true;
}

/// The values that the predicate of a constraint gets: those of its names, without the one that it decides about.
template <class Part, class Config, std::size_t... K>
[[nodiscard]] constexpr bool takes_values(std::index_sequence<K...>)
{
    constexpr std::size_t skipped = Part::conditional ? 1 : 0;
    return std::is_invocable_r_v<
        bool, const decltype(Part::predicate)&,
        const std::tuple_element_t<position_of(Part::names[K + skipped], Config::names), decltype(Config::values)>&...>;
}

template <class Part, class Config>
[[nodiscard]] constexpr bool predicate_fits()
{
    if constexpr (constraint_part<Part>)
        if constexpr (names_known<Part, Config>())
            return takes_values<Part, Config>(
                std::make_index_sequence<Part::names.size() - (Part::conditional ? 1 : 0)>{});
    return true;
}

}  // namespace detail

/// The configurations over some parameters that fulfil some constraints. It is a search_space with typed
/// configurations.
///
///     const space::product tiles{
///         space::parameter<"mr">({1, 2, 4, 6, 8, 14}),
///         space::parameter<"nv">({1, 2, 3, 4}),
///         space::where<"mr", "nv">([](int mr, int nv) { return mr * nv + nv + 1 <= 34; }),
///     };
///     const auto c = tiles.at(7);
///     run(tunekit::get<"mr">(c), tunekit::get<"nv">(c));
///     std::puts(tiles.text(7).c_str());     // mr = 2, nv = 2
///
/// Parts come in any order; the order of the parameters is that of the ordinals.
///
/// Index:      parameters that share a constraint form a group. An index is the mixed-radix number of the groups' rows;
///             the group of the first parameter is least significant. Without constraints that is AutoTVM's index: the
///             first parameter varies fastest.
/// Throws:     std::invalid_argument that names the parameter without values or with too many, the constraints that
///             leave no configuration, the constraint whose predicate throws, or the size above 2^63.
/// Randomness: `sample` draws one uniform_index per configuration, `neighbours` two or three per attempt, in order.
/// Cost:       the valid set is built without visiting the raw product. Decoding and encoding take one division per
///             group and one binary search per constrained parameter. A neighbour takes a few attempts, and one
///             enumeration of the neighbourhood if 64 of them fail.
/// Threads:    const calls on one product are safe.
template <class... Parts>
class product : public detail::grid {
    static constexpr auto places = detail::parameter_places<Parts...>();  // by parameter: its part

    static_assert(((detail::parameter_part<Parts> || detail::constraint_part<Parts>) && ...),
                  "tunekit: product: a part is neither a parameter nor a constraint");
    static_assert(places.size() > 0, "tunekit: product: has no parameters");

public:
    /// a `configuration` of the parameters
    using config = decltype(detail::configuration_over(std::tuple_cat(detail::if_parameter<Parts>()...)));

    static_assert(detail::all_distinct(config::names), "tunekit: product: two parameters have one name");
    static_assert((detail::values_have_text<Parts>() && ...),
                  "tunekit: a value has no text: write std::string to_text(const T&) beside its type");
    static_assert((detail::names_known<Parts, config>() && ...),
                  "tunekit: where, active_if: no parameter of this name");
    static_assert((detail::predicate_fits<Parts, config>() && ...),
                  "tunekit: where, active_if: the predicate does not take the values of these parameters");

    /// Makes the space of these parameters and constraints, in any order.
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

    /// The index of a configuration; empty if a value is not in its parameter's list, or a constraint fails.
    [[nodiscard]] std::optional<index> index_of(const config& c) const
    {
        std::array<std::uint16_t, places.size()> row{};
        const bool known = [&]<std::size_t... J>(std::index_sequence<J...>) {
            return (find<J>(std::get<J>(c.values), row[J]) && ...);
        }(std::make_index_sequence<places.size()>{});
        return known ? index_of_ordinals(row) : std::nullopt;
    }

    /// The configuration of these values, one for each parameter, in any order.
    ///
    ///     const space::product tiles{space::integers<"mr">(1, 8), space::integers<"nv">(1, 4)};
    ///     const auto untuned = tiles.of(tunekit::value<"nv">(2), tunekit::value<"mr">(4));
    ///
    /// A name that is no parameter's, or a parameter without a value, does not compile. Throws std::invalid_argument
    /// that names the parameter for a value that is not in its list, and if a constraint fails.
    template <class... Values>
    [[nodiscard]] config of(const Values&... values) const
    {
        return [&]<std::size_t... J>(std::index_sequence<J...>) {
            if constexpr (detail::one_of_each(
                              std::type_identity<
                                  std::tuple<std::tuple_element_t<places[J], std::tuple<Parts...>>...>>{},
                              std::type_identity<std::tuple<Values...>>{})) {
                const config out{
                    {detail::value_among<std::tuple_element_t<places[J], std::tuple<Parts...>>>(values...)...}};
                (check_value<J>(std::get<J>(out.values)), ...);
                if (!index_of(out)) detail::no_configuration({text_of(std::get<J>(out.values))...}, names());
                return out;
            } else {
                return config{};  // said above
            }
        }(std::make_index_sequence<places.size()>{});
    }

private:
    template <std::size_t J, class T>
    void check_value(const T& wanted) const
    {
        std::uint16_t ordinal = 0;
        if (!find<J>(wanted, ordinal)) detail::no_such_value(config::names[J], text_of(wanted));
    }

    explicit product(std::tuple<Parts...>&& parts)
        : grid(grid_over(parts, std::make_index_sequence<places.size()>{}, std::index_sequence_for<Parts...>{})),
          parts_(std::move(parts))
    {
    }

    template <std::size_t J>
    [[nodiscard]] static const auto& parameter_at(const std::tuple<Parts...>& parts)
    {
        return std::get<places[J]>(parts);
    }

    template <std::size_t J, class T>
    [[nodiscard]] bool find(const T& wanted, std::uint16_t& ordinal) const
    {
        const auto at = parameter_at<J>(parts_).values.find(wanted);
        if (at) ordinal = *at;
        return at.has_value();
    }

    /// The parts without their types. The grid takes the axes out of the parameters, which keep their values.
    template <std::size_t... J, std::size_t... K>
    [[nodiscard]] static detail::grid grid_over(std::tuple<Parts...>& parts, std::index_sequence<J...>,
                                                std::index_sequence<K...>)
    {
        detail::axis* const axes[] = {&std::get<places[J]>(parts).about...};
        detail::condition conditions[sizeof...(K)];
        std::size_t n = 0;
        const auto add = [&](const detail::condition& c) {
            if (c.holds != nullptr) conditions[n++] = c;
        };
        (add(condition_of<K>(parts)), ...);
        if constexpr ((detail::constraint_part<Parts> || ...)) return {axes, {conditions, n}};
        else return detail::grid(axes);
    }

    /// The positions of a constraint's names among the parameters; places.size() for a name that is no parameter.
    template <class Part>
    static constexpr auto positions = [] {
        std::array<std::size_t, Part::names.size()> out{};
        for (std::size_t k = 0; k < out.size(); ++k) out[k] = detail::position_of(Part::names[k], config::names);
        return out;
    }();

    /// The positions of the parameters whose values the predicate takes.
    template <class Part, std::size_t K>
    static constexpr std::size_t argument = positions<Part>[K + (Part::conditional ? 1 : 0)];

    template <class Part>
    using arguments = std::make_index_sequence<Part::names.size() - (Part::conditional ? 1 : 0)>;

    /// Constraint K; a condition without `holds` if part K is not a constraint.
    template <std::size_t K>
    [[nodiscard]] static detail::condition condition_of(const std::tuple<Parts...>& parts)
    {
        using part = std::tuple_element_t<K, std::tuple<Parts...>>;
        if constexpr (detail::constraint_part<part>)
            if constexpr (detail::names_known<part, config>() && detail::predicate_fits<part, config>())
                return {&part::text, positions<part>, &parts, &holds<K>};
        return {};
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
    static bool check(const Part& part, const std::tuple<Parts...>& parts, const std::uint16_t* row,
                      std::index_sequence<K...>)
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
template <space::detail::fixed_string Name, class... Parameters>
[[nodiscard]] constexpr const auto& get(const space::configuration<Parameters...>& c) noexcept
{
    constexpr std::size_t at = space::detail::position_of(Name.view(), space::configuration<Parameters...>::names);
    static_assert(at < sizeof...(Parameters), "tunekit: get: no parameter of this name");
    if constexpr (at < sizeof...(Parameters)) return std::get<at>(c.values);
    else return Name;  // reached by no program: the assertion above is the one message
}

template <space::detail::fixed_string Name, class... Parameters>
[[nodiscard]] constexpr auto& get(space::configuration<Parameters...>& c) noexcept
{
    constexpr std::size_t at = space::detail::position_of(Name.view(), space::configuration<Parameters...>::names);
    static_assert(at < sizeof...(Parameters), "tunekit: get: no parameter of this name");
    if constexpr (at < sizeof...(Parameters)) return std::get<at>(c.values);
    else return c;  // reached by no program: the assertion above is the one message
}

}  // namespace tunekit
