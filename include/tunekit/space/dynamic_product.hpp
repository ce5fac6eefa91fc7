// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Spaces whose parameters and constraints are known at run time only.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/space/condition.hpp"
#include "tunekit/space/expression.hpp"
#include "tunekit/space/grid.hpp"
#include "tunekit/space/value_list.hpp"

namespace tunekit::space {

/// A name and its values, all different.
struct dynamic_parameter {
    std::string name;
    std::vector<std::int64_t> values;
};

/// The integer configurations over some parameters that fulfil all constraints, given as text: a search_space, and typed by
/// std::vector<std::int64_t>.
///
///     const space::dynamic_product tiles({{"mr", {1, 2, 4, 8}}, {"nv", {1, 2, 3}}}, {"mr * nv + nv + 1 <= 34"});
///     tiles.at(5)[0];      // the value of mr
///
/// Index:  that of a `product` of the same parameters, values and constraints in the same order.
/// Throws: std::invalid_argument as `grid` and `expression` do, and for a value that is there twice.
class dynamic_product : public grid {
public:
    using config = std::vector<std::int64_t>;

    /// `Text` is std::string; a template, so that nobody pays for building spaces who builds none.
    template <std::same_as<std::string> Text = std::string>
    dynamic_product(std::vector<dynamic_parameter> parameters, const std::vector<Text>& constraints)
        : dynamic_product(typed(std::move(parameters)), constraints)
    {
    }

    /// The configuration of index `i`, one value per parameter. Precondition: i < size().
    [[nodiscard]] config at(index i) const
    {
        std::vector<std::uint16_t> row(dimensions());
        ordinals({&i, 1}, row);
        config out(row.size());
        for (std::size_t j = 0; j < row.size(); ++j) out[j] = columns_[j].values[row[j]];
        return out;
    }

    /// The index of a configuration; empty where it has another length, a value not in its parameter's list, or fails a
    /// constraint.
    [[nodiscard]] std::optional<index> index_of(const config& c) const
    {
        if (c.size() != dimensions()) return std::nullopt;
        std::vector<std::uint16_t> row;
        for (std::size_t j = 0; j < c.size(); ++j) {
            const auto ordinal = columns_[j].values.find(c[j]);
            if (!ordinal) return std::nullopt;
            row.push_back(*ordinal);
        }
        return index_of_ordinals(row);
    }

private:
    struct column {
        std::string name;
        value_list<std::int64_t> values;
    };

    template <class Text>
    dynamic_product(std::vector<column>&& columns, const std::vector<Text>& constraints)
        : grid(grid_over(columns, constraints)), columns_(std::move(columns))
    {
    }

    [[nodiscard]] static std::vector<column> typed(std::vector<dynamic_parameter>&& parameters)
    {
        std::vector<column> out;
        for (auto& p : parameters) out.push_back({p.name, value_list<std::int64_t>(p.name, std::move(p.values))});
        return out;
    }

    template <class Text>
    [[nodiscard]] static grid grid_over(const std::vector<column>& columns, const std::vector<Text>& constraints)
    {
        struct bound {
            expression text;
            const std::vector<column>* columns;
        };
        std::vector<axis> axes;
        std::vector<std::string> names;
        for (const column& c : columns) {
            axes.push_back(detail::axis_of(c.name, c.values));
            names.push_back(c.name);
        }
        std::vector<bound> all;
        for (const Text& text : constraints) all.push_back({expression(text, names), &columns});
        std::vector<condition> conditions;
        for (const bound& b : all)
            conditions.push_back(
                {"'" + b.text.text() + "'", b.text.names_used(), &b, [](const void* context, const std::uint16_t* row) {
                     const auto& [text, of] = *static_cast<const bound*>(context);
                     return text.holds([&, values = of](std::size_t j) { return (*values)[j].values[row[j]]; });
                 }});
        return grid(std::move(axes), conditions);
    }

    std::vector<column> columns_;
};

}  // namespace tunekit::space
