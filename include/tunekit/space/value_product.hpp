// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Product spaces whose parameters become known at run time, with values of any kind: flags, numbers, words, orders.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/index_table.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/space/detail/axis.hpp"
#include "tunekit/space/detail/grid.hpp"
#include "tunekit/space/expression.hpp"
#include "tunekit/space/permutation.hpp"
#include "tunekit/space/text.hpp"
#include "tunekit/space/value.hpp"

namespace tunekit::space {

/// A list of integers as one value: usually an order of 0 ... n - 1.
struct entries {
    std::vector<std::int64_t> of;  ///< the entries, in order

    friend bool operator==(const entries&, const entries&) = default;
};

/// The text of a list, such as "(0, 2, 1)".
[[nodiscard]] inline std::string to_text(const entries& e)
{
    std::string out = "(";
    for (const std::int64_t x : e.of) (out += out.size() == 1 ? "" : ", ") += std::to_string(x);
    return out += ')';
}

/// One value of a parameter.
using value = std::variant<bool, std::int64_t, double, std::string, entries>;

/// The text of a value, from `text_of` of what it holds.
[[nodiscard]] inline std::string text_of_value(const value& v)
{
    return std::visit([](const auto& x) { return text_of(x); }, v);
}

namespace detail {

/// The value of a list that has this text, or else the number that it is: 64.0 is 64, and 1 is 1.0.
[[nodiscard]] inline auto find_value(const std::vector<value>& list, const std::string& text)
{
    const auto by_text =
        std::find_if(list.begin(), list.end(), [&](const value& of) { return text_of_value(of) == text; });
    const auto number = core::number<double>(text);
    if (by_text != list.end() || !number || !(*number < 0x1p53 && *number > -0x1p53)) return by_text;
    return std::find_if(list.begin(), list.end(), [&](const value& of) {
        const auto* const whole = std::get_if<std::int64_t>(&of);
        const auto* const real = std::get_if<double>(&of);
        return whole != nullptr ? static_cast<double>(*whole) == *number : real != nullptr && *real == *number;
    });
}

/// Says that a list does not have the value of this text.
[[noreturn, gnu::cold]] inline void no_such_value(const std::string& name, const std::string& text,
                                                  const std::vector<value>& list)
{
    std::vector<std::string> texts;
    for (const value& of : list) texts.push_back(text_of_value(of));
    invalid({"space: of: parameter '", name, "' does not have the value ", text.substr(0, 80), ", want ",
             core::wanted_name(text, texts)});
}

}  // namespace detail

/// A parameter of a value_product: a name and its values, whose texts all differ.
struct value_parameter {
    std::string name;           ///< as in constraints
    std::vector<value> values;  ///< in the order of their ordinals

    value_parameter() = default;
    /// A parameter of these values, such as {"align", {16, 32}}.
    value_parameter(std::string called, std::vector<value> list) : name(std::move(called)), values(std::move(list)) {}
    /// A parameter of values of one type, such as {"align", powers}, where `powers` is a std::vector<int>.
    template <class T>
        requires std::constructible_from<value, const T&>
    value_parameter(std::string called, const std::vector<T>& list)
        : name(std::move(called)), values(list.begin(), list.end())
    {
    }
};

/// The configurations over some parameters that fulfil all constraints, which are given as text. It is a search_space,
/// typed by std::vector<value>.
///
///     const space::value_product flags({{"opt", {"-O2"s, "-O3"s}}, {"unroll", {false, true}}, {"align", {16, 32}}},
///                                      {"opt == '-O3' or not unroll", "align <= 16 or unroll"});
///
/// In constraints (see `expression`) a flag is 1 or 0, and a word is in quotes. For a parameter `p` of orders, `p_0` is
/// the entry at place 0, and `p_i0` is the place of entry 0. Features are numbers as they are, positions of words, and
/// the entries of orders place by place. Orders of the same entries have neighbours by `swap`.
///
/// Index:  that of a `product` of the same parameters, values and constraints in the same order.
/// Throws: std::invalid_argument as `product` and `expression` do.
class value_product : public detail::grid {
public:
    using config = std::vector<value>;  ///< one value per parameter

    /// Makes the space; `constraints` are expressions over the names.
    value_product(std::vector<value_parameter> parameters, const std::vector<std::string>& constraints);

    /// The parameters as they were given.
    [[nodiscard]] const std::vector<value_parameter>& parameters() const noexcept { return parameters_; }

    /// The configuration of index `i`, one value per parameter. Precondition: i < size().
    [[nodiscard]] config at(index i) const;

    /// The index of a configuration. It is empty if the configuration has another length, has a value not in its
    /// parameter's list, or fails a constraint.
    [[nodiscard]] std::optional<index> index_of(const config& c) const
    {
        std::vector<std::string> texts;
        for (const value& v : c) texts.push_back(text_of_value(v));
        return index_of_texts(texts);
    }

    /// The index of a configuration that is given by the texts of its values.
    [[nodiscard]] std::optional<index> index_of_texts(std::span<const std::string> texts) const;

    /// The configuration of these values by the names of their parameters, one for each, in any order.
    ///
    ///     const space::value_product flags({{"unroll", {false, true}}, {"align", {16, 32}}}, {});
    ///     const auto untuned = flags.of({{"align", 16}, {"unroll", false}});
    ///
    /// Throws std::invalid_argument that names the parameter: one that there is not, one without a value or with two,
    /// one whose list does not have the value; and if a constraint fails.
    [[nodiscard]] config of(const std::vector<std::pair<std::string, value>>& values) const
    {
        std::vector<std::string> texts(dimensions());
        std::vector<bool> given(dimensions());
        config out(dimensions());
        for (const auto& [name, v] : values) {
            const auto at = std::find(names().begin(), names().end(), name);
            if (at == names().end())
                invalid({"space: of: no parameter is called '", name, "', want ", core::wanted_name(name, names())});
            const auto j = static_cast<std::size_t>(at - names().begin());
            require(!given[j], "space: of: parameter '" + name + "' has two values, want one of each");
            given[j] = true;
            const auto& list = parameters_[j].values;
            const auto found = detail::find_value(list, text_of_value(v));
            if (found == list.end()) detail::no_such_value(name, text_of_value(v), list);
            out[j] = *found;
            texts[j] = text_of_value(*found);
        }
        for (std::size_t j = 0; j < dimensions(); ++j)
            require(given[j], "space: of: parameter '" + names()[j] + "' has no value, want one of each");
        if (!index_of_texts(texts)) detail::no_configuration(texts, names());
        return out;
    }

private:
    using text_lists = std::vector<detail::value_list<std::string>>;

    value_product(text_lists&& texts, std::vector<value_parameter>&& parameters,
                  const std::vector<std::string>& constraints);

    [[nodiscard]] static text_lists texts_of(const std::vector<value_parameter>& parameters);
    [[nodiscard]] static detail::grid grid_over(const text_lists& texts, const std::vector<value_parameter>& parameters,
                                                const std::vector<std::string>& constraints);

    std::vector<value_parameter> parameters_;
    text_lists texts_;  // of their values
};

}  // namespace tunekit::space

#if TUNEKIT_BODIES

namespace tunekit::space {

namespace detail {

/// The length of the lists where every value is one of the same length; else 0.
[[nodiscard]] inline std::size_t order_length(const value_parameter& p)
{
    std::size_t out = 0;
    for (const value& v : p.values) {
        const auto* const e = std::get_if<entries>(&v);
        if (e == nullptr || (out != 0 && e->of.size() != out)) return 0;
        out = e->of.size();
    }
    return out;
}

/// All that constraints can speak of: words, and names with a number for each of a parameter's values.
struct vocabulary {
    struct column {
        std::size_t parameter = 0;
        std::vector<number> numbers{};
    };
    std::vector<std::string> words{};
    core::index_table<std::uint32_t> places{};  ///< of the words
    std::vector<std::string> names{};
    std::vector<column> columns{};  ///< one per name

    [[nodiscard]] number number_of(const value& v)
    {
        if (const auto* const x = std::get_if<bool>(&v)) return as_number(*x ? 1 : 0);
        if (const auto* const x = std::get_if<std::int64_t>(&v)) return as_number(*x);
        if (const auto* const x = std::get_if<double>(&v)) return as_number(*x);
        const std::string word = text_of_value(v);
        const auto hash_of = [](const std::string& w) { return core::mixed(0, std::hash<std::string>()(w)); };
        const auto k = places.add(
            static_cast<std::uint32_t>(words.size()), hash_of(word),
            [&](std::uint32_t at) { return words[at] == word; }, [&](std::uint32_t at) { return hash_of(words[at]); });
        if (k == words.size()) words.push_back(word);
        return as_number(expression::number_of(k));
    }
    template <class Number>
    void add(std::string name, std::size_t j, const value_parameter& p, const Number& number)
    {
        column& to = columns.emplace_back(column{j});
        for (const value& v : p.values) to.numbers.push_back(number(v));
        names.push_back(std::move(name));
    }
    void add(std::size_t j, const value_parameter& p)
    {
        add(p.name, j, p, [&](const value& v) { return number_of(v); });
        const std::size_t n = order_length(p);
        for (std::size_t k = 0; k < n; ++k) {
            add(p.name + '_' + std::to_string(k), j, p,
                [&](const value& v) { return as_number(std::get<entries>(v).of[k]); });
            add(p.name + "_i" + std::to_string(k), j, p, [&](const value& v) {
                const auto& of = std::get<entries>(v).of;
                return as_number(std::find(of.begin(), of.end(), static_cast<std::int64_t>(k)) - of.begin());
            });
        }
    }
};

/// Orders of the same `n` entries have trades; other lists are numbers alone.
inline void describe_lists(axis& out, const value_parameter& p, std::size_t n)
{
    const auto& base = std::get<entries>(p.values.front()).of;
    order_list orders{n};
    bool same = true;
    for (const value& v : p.values) {
        const auto& of = std::get<entries>(v).of;
        same = same && std::is_permutation(of.begin(), of.end(), base.begin(), base.end());
        for (const std::int64_t x : of)
            orders.all.push_back(static_cast<std::uint16_t>(std::find(base.begin(), base.end(), x) - base.begin()));
    }
    std::vector<std::int64_t> once = base;
    std::sort(once.begin(), once.end());
    if (same && std::adjacent_find(once.begin(), once.end()) == once.end()) return describe_orders(out, orders);
    out.columns = n;
    out.numbers.clear();
    for (const value& v : p.values)
        for (const std::int64_t x : std::get<entries>(v).of) out.numbers.push_back(static_cast<float>(x));
}

[[nodiscard]] inline axis axis_of(const value_parameter& p, const value_list<std::string>& texts)
{
    axis out = axis_of(p.name, texts);
    if (const std::size_t n = order_length(p); n > 0) {
        describe_lists(out, p, n);
        return out;
    }
    for (std::size_t k = 0; k < p.values.size(); ++k)  // the ordinal is there
        if (const auto* const x = std::get_if<std::int64_t>(&p.values[k])) out.numbers[k] = static_cast<float>(*x);
        else if (const auto* const y = std::get_if<double>(&p.values[k])) out.numbers[k] = static_cast<float>(*y);
        else if (const auto* const z = std::get_if<bool>(&p.values[k])) out.numbers[k] = *z ? 1 : 0;
        else if (!std::holds_alternative<std::string>(p.values[k])) break;
    return out;
}

/// A constraint and what its names mean.
struct bound_expression {
    expression text;
    const vocabulary* known;
    std::vector<std::size_t> scope{};  ///< parameters, ascending

    [[nodiscard]] condition as_condition() const
    {
        return {
            .text = [](const void* c) { return '\'' + static_cast<const bound_expression*>(c)->text.text() + '\''; },
            .scope = scope,
            .context = this,
            .holds =
                [](const void* context, const std::uint16_t* row) {
                    const auto& self = *static_cast<const bound_expression*>(context);
                    return self.text.holds([&](std::size_t c) -> const number& {
                        const vocabulary::column& of = self.known->columns[c];
                        return of.numbers[row[of.parameter]];
                    });
                },
            .names_itself = true};
    }
};

}  // namespace detail

TUNEKIT_INLINE value_product::value_product(std::vector<value_parameter> parameters,
                                            const std::vector<std::string>& constraints)
    : value_product(texts_of(parameters), std::move(parameters), constraints)
{
}

TUNEKIT_INLINE value_product::value_product(text_lists&& texts, std::vector<value_parameter>&& parameters,
                                            const std::vector<std::string>& constraints)
    : grid(grid_over(texts, parameters, constraints)), parameters_(std::move(parameters)), texts_(std::move(texts))
{
}

TUNEKIT_INLINE value_product::config value_product::at(index i) const
{
    std::vector<std::uint16_t> row(dimensions());
    ordinals({&i, 1}, row);
    config out;
    for (std::size_t j = 0; j < row.size(); ++j) out.push_back(parameters_[j].values[row[j]]);
    return out;
}

TUNEKIT_INLINE std::optional<index> value_product::index_of_texts(std::span<const std::string> texts) const
{
    if (texts.size() != dimensions()) return std::nullopt;
    std::vector<std::uint16_t> row;
    for (std::size_t j = 0; j < texts.size(); ++j) {
        const auto ordinal = texts_[j].find(texts[j]);
        if (!ordinal) return std::nullopt;
        row.push_back(*ordinal);
    }
    return index_of_ordinals(row);
}

TUNEKIT_INLINE value_product::text_lists value_product::texts_of(const std::vector<value_parameter>& parameters)
{
    text_lists out;
    for (const value_parameter& p : parameters) {
        std::vector<std::string> texts;
        for (const value& v : p.values) texts.push_back(text_of_value(v));
        out.emplace_back(p.name, std::move(texts));
    }
    return out;
}

TUNEKIT_INLINE detail::grid value_product::grid_over(const text_lists& texts,
                                                     const std::vector<value_parameter>& parameters,
                                                     const std::vector<std::string>& constraints)
{
    detail::vocabulary known;
    std::vector<detail::axis> axes;
    for (std::size_t j = 0; j < parameters.size(); ++j) {
        axes.push_back(detail::axis_of(parameters[j], texts[j]));
        known.add(j, parameters[j]);
    }
    std::vector<detail::axis*> taken;
    for (detail::axis& a : axes) taken.push_back(&a);
    std::vector<detail::bound_expression> all;
    for (const std::string& text : constraints) {
        detail::bound_expression& one =
            all.emplace_back(detail::bound_expression{expression(text, known.names, known.words), &known});
        for (const std::size_t c : one.text.names_used()) one.scope.push_back(known.columns[c].parameter);
        std::sort(one.scope.begin(), one.scope.end());
        one.scope.erase(std::unique(one.scope.begin(), one.scope.end()), one.scope.end());
    }
    std::vector<detail::condition> conditions;
    for (const detail::bound_expression& one : all) conditions.push_back(one.as_condition());
    return {taken, conditions};
}

}  // namespace tunekit::space
#endif  // TUNEKIT_BODIES
