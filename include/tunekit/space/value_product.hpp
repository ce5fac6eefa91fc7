// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Product spaces whose parameters become known at run time, with values of any kind: flags, numbers, words, orders.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/space/detail/axis.hpp"
#include "tunekit/space/detail/grid.hpp"
#include "tunekit/space/detail/value_list.hpp"
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

/// A parameter of a value_product: a name and its values, whose texts all differ.
struct value_parameter {
    std::string name;           ///< as in constraints
    std::vector<value> values;  ///< in the order of their ordinals
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
    value_product(std::vector<value_parameter> parameters, const std::vector<std::string>& constraints)
        : grid(grid_over(parameters, constraints)), parameters_(std::move(parameters))
    {
    }

    /// The parameters as they were given.
    [[nodiscard]] const std::vector<value_parameter>& parameters() const noexcept { return parameters_; }

    /// The configuration of index `i`, one value per parameter. Precondition: i < size().
    [[nodiscard]] config at(index i) const
    {
        std::vector<std::uint16_t> row(dimensions());
        ordinals({&i, 1}, row);
        config out;
        for (std::size_t j = 0; j < row.size(); ++j) out.push_back(parameters_[j].values[row[j]]);
        return out;
    }

    /// The index of a configuration. It is empty where the configuration has another length, has a value not in its
    /// parameter's list, or fails a constraint.
    [[nodiscard]] std::optional<index> index_of(const config& c) const
    {
        std::vector<std::string> texts;
        for (const value& v : c) texts.push_back(text_of_value(v));
        return index_of_texts(texts);
    }

    /// The index of a configuration that is given by the texts of its values.
    [[nodiscard]] std::optional<index> index_of_texts(std::span<const std::string> texts) const
    {
        if (texts.size() != dimensions()) return std::nullopt;
        std::vector<std::uint16_t> row;
        for (std::size_t j = 0; j < texts.size(); ++j) {
            const auto& values = parameters_[j].values;
            const auto found = std::find_if(values.begin(), values.end(),
                                            [&](const value& v) { return text_of_value(v) == texts[j]; });
            if (found == values.end()) return std::nullopt;
            row.push_back(static_cast<std::uint16_t>(found - values.begin()));
        }
        return index_of_ordinals(row);
    }

    /// The configuration of these values by the names of their parameters, one for each, in any order.
    ///
    ///     const space::value_product flags({{"unroll", {false, true}}, {"align", {16, 32}}}, {});
    ///     const auto untuned = flags.of({{"align", 16}, {"unroll", false}});
    ///
    /// Throws std::invalid_argument that names the parameter: one that there is not, one without a value or with two,
    /// one whose list does not have the value; and where a constraint fails.
    [[nodiscard]] config of(const std::vector<std::pair<std::string, value>>& values) const
    {
        std::vector<std::string> texts(dimensions());
        std::vector<bool> given(dimensions());
        config out(dimensions());
        for (const auto& [name, v] : values) {
            const auto at = std::find(names().begin(), names().end(), name);
            require(at != names().end(), "space: of: no parameter is called '" + name + "'");
            const auto j = static_cast<std::size_t>(at - names().begin());
            require(!given[j], "space: of: parameter '" + name + "' has two values, want one of each");
            given[j] = true;
            texts[j] = text_of_value(v);
            const auto& list = parameters_[j].values;
            const auto same = [&](const value& of) { return text_of_value(of) == texts[j]; };
            const auto found = std::find_if(list.begin(), list.end(), same);
            if (found == list.end()) detail::no_such_value(name, texts[j]);
            out[j] = *found;
        }
        for (std::size_t j = 0; j < dimensions(); ++j)
            require(given[j], "space: of: parameter '" + names()[j] + "' has no value, want one of each");
        if (!index_of_texts(texts)) detail::no_configuration(texts, names());
        return out;
    }

private:
    /// A name in constraints: a parameter with a number for each of its values.
    struct column {
        std::string name;
        std::size_t parameter = 0;
        std::vector<detail::number> numbers;
    };

    /// All that constraints can speak of.
    struct vocabulary {
        std::vector<std::string> words;
        std::vector<column> columns;

        [[nodiscard]] std::int64_t number_of(const std::string& word)
        {
            const auto k = static_cast<std::size_t>(std::find(words.begin(), words.end(), word) - words.begin());
            if (k == words.size()) words.push_back(word);
            return expression::number_of(k);
        }
        [[nodiscard]] detail::number number_of(const value& v)
        {
            if (const auto* const x = std::get_if<bool>(&v)) return detail::as_number(*x ? 1 : 0);
            if (const auto* const x = std::get_if<std::int64_t>(&v)) return detail::as_number(*x);
            if (const auto* const x = std::get_if<double>(&v)) return detail::as_number(*x);
            return detail::as_number(number_of(text_of_value(v)));
        }
        void add(std::size_t j, const value_parameter& p)
        {
            column own{p.name, j, {}};
            for (const value& v : p.values) own.numbers.push_back(number_of(v));
            columns.push_back(std::move(own));
            const std::size_t n = order_length(p);
            for (std::size_t k = 0; k < n; ++k) {
                column at{p.name + '_' + std::to_string(k), j, {}};
                column place{p.name + "_i" + std::to_string(k), j, {}};
                for (const value& v : p.values) {
                    const auto& of = std::get<entries>(v).of;
                    at.numbers.push_back(detail::as_number(of[k]));
                    place.numbers.push_back(
                        detail::as_number(std::find(of.begin(), of.end(), static_cast<std::int64_t>(k)) - of.begin()));
                }
                columns.push_back(std::move(at));
                columns.push_back(std::move(place));
            }
        }
    };

    /// The length of the lists where every value is one of the same length; else 0.
    static std::size_t order_length(const value_parameter& p)
    {
        std::size_t out = 0;
        for (const value& v : p.values) {
            const auto* const e = std::get_if<entries>(&v);
            if (e == nullptr || (out != 0 && e->of.size() != out)) return 0;
            out = e->of.size();
        }
        return out;
    }

    [[nodiscard]] static detail::axis axis_of_values(const value_parameter& p)
    {
        std::vector<std::string> texts;
        for (const value& v : p.values) texts.push_back(text_of_value(v));
        detail::axis out = detail::axis_of(p.name, detail::value_list<std::string>(p.name, std::move(texts)));
        if (const std::size_t n = order_length(p); n > 0) {
            describe(out, p, n);
            return out;
        }
        for (std::size_t k = 0; k < p.values.size(); ++k)  // the ordinal is there
            if (const auto* const x = std::get_if<std::int64_t>(&p.values[k])) out.numbers[k] = static_cast<float>(*x);
            else if (const auto* const y = std::get_if<double>(&p.values[k])) out.numbers[k] = static_cast<float>(*y);
            else if (std::holds_alternative<bool>(p.values[k])) out.numbers[k] = std::get<bool>(p.values[k]) ? 1 : 0;
            else if (!std::holds_alternative<std::string>(p.values[k])) break;
        return out;
    }

    /// Orders of the same entries have trades; other lists are numbers alone.
    static void describe(detail::axis& out, const value_parameter& p, std::size_t n)
    {
        const auto& base = std::get<entries>(p.values.front()).of;
        detail::order_list orders{n};
        bool same = true;
        for (const value& v : p.values) {
            const auto& of = std::get<entries>(v).of;
            same = same && std::is_permutation(of.begin(), of.end(), base.begin(), base.end());
            for (const std::int64_t x : of)
                orders.all.push_back(static_cast<std::uint16_t>(std::find(base.begin(), base.end(), x) - base.begin()));
        }
        std::vector<std::int64_t> once = base;
        std::sort(once.begin(), once.end());
        if (same && std::adjacent_find(once.begin(), once.end()) == once.end())
            return detail::describe_orders(out, orders);
        out.columns = n;
        out.numbers.clear();
        for (const value& v : p.values)
            for (const std::int64_t x : std::get<entries>(v).of) out.numbers.push_back(static_cast<float>(x));
    }

    [[nodiscard]] static detail::grid grid_over(const std::vector<value_parameter>& parameters,
                                                const std::vector<std::string>& constraints)
    {
        struct bound {
            expression text;
            std::vector<std::size_t> scope;  ///< parameters
            const vocabulary* known;
        };
        vocabulary known;
        std::vector<detail::axis> axes;
        for (std::size_t j = 0; j < parameters.size(); ++j) {
            axes.push_back(axis_of_values(parameters[j]));
            known.add(j, parameters[j]);
        }
        std::vector<std::string> names;
        for (const column& c : known.columns) names.push_back(c.name);
        std::vector<detail::axis*> taken;
        for (detail::axis& a : axes) taken.push_back(&a);
        std::vector<bound> all;
        for (const std::string& text : constraints) {
            bound one{expression(text, names, known.words), {}, &known};
            for (const std::size_t c : one.text.names_used())
                if (const std::size_t j = known.columns[c].parameter;
                    std::find(one.scope.begin(), one.scope.end(), j) == one.scope.end())
                    one.scope.push_back(j);
            std::sort(one.scope.begin(), one.scope.end());
            all.push_back(std::move(one));
        }
        std::vector<detail::condition> conditions;
        for (const bound& b : all)
            conditions.push_back(
                {.text = [](const void* c) { return '\'' + static_cast<const bound*>(c)->text.text() + '\''; },
                 .scope = b.scope,
                 .context = &b,
                 .holds =
                     [](const void* context, const std::uint16_t* row) {
                         const auto& one = *static_cast<const bound*>(context);
                         return one.text.holds([&](std::size_t c) {
                             const column& of = one.known->columns[c];
                             return of.numbers[row[of.parameter]];
                         });
                     },
                 .names_itself = true});
        return {taken, conditions};
    }

    std::vector<value_parameter> parameters_;
};

}  // namespace tunekit::space
