// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Product spaces whose parameters and constraints become known at run time.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/space/detail/axis.hpp"
#include "tunekit/space/detail/grid.hpp"
#include "tunekit/space/detail/value_list.hpp"
#include "tunekit/space/expression.hpp"

namespace tunekit::space {

/// A parameter of a dynamic_product: a name and its values, all different.
struct dynamic_parameter {
    std::string name;                  ///< as in constraints
    std::vector<std::int64_t> values;  ///< in the order of their ordinals
};

/// The integer configurations over some parameters that fulfil all constraints, which are given as text. It is a
/// search_space, typed by std::vector<std::int64_t>.
///
///     const space::dynamic_product tiles({{"mr", {1, 2, 4, 8}}, {"nv", {1, 2, 3}}}, {"mr * nv + nv + 1 <= 34"});
///     tiles.at(5)[0];      // the value of mr
///
/// Index:  that of a `product` of the same parameters, values and constraints in the same order.
/// Throws: std::invalid_argument as `product` and `expression` do.
class dynamic_product : public detail::grid {
public:
    using config = std::vector<std::int64_t>;  ///< one value per parameter

    /// Makes the space; `constraints` are expressions over the names.
    dynamic_product(std::vector<dynamic_parameter> parameters, const std::vector<std::string>& constraints);

    /// The configuration of index `i`, one value per parameter. Precondition: i < size().
    [[nodiscard]] config at(index i) const;

    /// The index of a configuration. It is empty where the configuration has another length, has a value not in its
    /// parameter's list, or fails a constraint.
    [[nodiscard]] std::optional<index> index_of(const config& c) const;

private:
    struct column {
        std::string name;
        detail::value_list<std::int64_t> values;
    };

    dynamic_product(std::vector<column>&& columns, const std::vector<std::string>& constraints);

    [[nodiscard]] static std::vector<column> columns_of(std::vector<dynamic_parameter>&& parameters);

    [[nodiscard]] static detail::grid grid_over(const std::vector<column>& columns,
                                                const std::vector<std::string>& constraints);

    std::vector<column> columns_;
};

}  // namespace tunekit::space

#if TUNEKIT_BODIES
namespace tunekit::space {

TUNEKIT_INLINE dynamic_product::dynamic_product(std::vector<dynamic_parameter> parameters,
                                                const std::vector<std::string>& constraints)
    : dynamic_product(columns_of(std::move(parameters)), constraints)
{
}

TUNEKIT_INLINE dynamic_product::config dynamic_product::at(index i) const
{
    std::vector<std::uint16_t> row(dimensions());
    ordinals({&i, 1}, row);
    config out(row.size());
    for (std::size_t j = 0; j < row.size(); ++j) out[j] = columns_[j].values[row[j]];
    return out;
}

TUNEKIT_INLINE std::optional<index> dynamic_product::index_of(const config& c) const
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

TUNEKIT_INLINE dynamic_product::dynamic_product(std::vector<column>&& columns,
                                                const std::vector<std::string>& constraints)
    : grid(grid_over(columns, constraints)), columns_(std::move(columns))
{
}

TUNEKIT_INLINE std::vector<dynamic_product::column> dynamic_product::columns_of(
    std::vector<dynamic_parameter>&& parameters)
{
    std::vector<column> out;
    for (auto& p : parameters) out.push_back({p.name, detail::value_list<std::int64_t>(p.name, std::move(p.values))});
    return out;
}

TUNEKIT_INLINE detail::grid dynamic_product::grid_over(const std::vector<column>& columns,
                                                       const std::vector<std::string>& constraints)
{
    struct bound {
        expression text;
        const std::vector<column>* columns;
    };
    std::vector<detail::axis> axes;
    std::vector<std::string> names;
    for (const column& c : columns) {
        axes.push_back(detail::axis_of(c.name, c.values));
        names.push_back(c.name);
    }
    std::vector<detail::axis*> taken;
    for (detail::axis& a : axes) taken.push_back(&a);
    std::vector<bound> all;
    for (const std::string& text : constraints) all.push_back({expression(text, names), &columns});
    std::vector<detail::condition> conditions;
    for (const bound& b : all)
        conditions.push_back(
            {.text = [](const void* c) { return '\'' + static_cast<const bound*>(c)->text.text() + '\''; },
             .scope = b.text.names_used(),
             .context = &b,
             .holds =
                 [](const void* context, const std::uint16_t* row) {
                     const auto& [text, of] = *static_cast<const bound*>(context);
                     return text.holds([&, values = of](std::size_t j) { return (*values)[j].values[row[j]]; });
                 },
             .names_itself = true});
    return {taken, conditions};
}

}  // namespace tunekit::space
#endif  // TUNEKIT_BODIES
