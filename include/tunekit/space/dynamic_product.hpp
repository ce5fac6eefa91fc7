// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Product spaces whose integer parameters and constraints become known at run time.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tunekit/space/value_product.hpp"

namespace tunekit::space {

/// A parameter of a dynamic_product: a name and its values, all different.
struct dynamic_parameter {
    std::string name;                  ///< as in constraints
    std::vector<std::int64_t> values;  ///< in the order of their ordinals
};

/// A value_product whose values are integers. It is a search_space, typed by std::vector<std::int64_t>.
///
///     const space::dynamic_product tiles({{"mr", {1, 2, 4, 8}}, {"nv", {1, 2, 3}}}, {"mr * nv + nv + 1 <= 34"});
///     tiles.at(5)[0];      // the value of mr
///
/// Index:  that of a `product` of the same parameters, values and constraints in the same order.
/// Throws: std::invalid_argument as `product` and `expression` do.
class dynamic_product : public value_product {
public:
    using config = std::vector<std::int64_t>;  ///< one value per parameter

    /// Makes the space; `constraints` are expressions over the names.
    dynamic_product(const std::vector<dynamic_parameter>& parameters, const std::vector<std::string>& constraints)
        : value_product(values_of(parameters), constraints)
    {
    }

    /// The configuration of index `i`, one value per parameter. Precondition: i < size().
    [[nodiscard]] config at(index i) const
    {
        std::vector<std::uint16_t> row(dimensions());
        ordinals({&i, 1}, row);
        config out(row.size());
        for (std::size_t j = 0; j < row.size(); ++j) out[j] = std::get<std::int64_t>(parameters()[j].values[row[j]]);
        return out;
    }

    /// The configuration of these values, one of each parameter. Throws as `value_product::of`.
    [[nodiscard]] config of(const std::vector<std::pair<std::string, value>>& values) const
    {
        config out;
        for (const value& v : value_product::of(values)) out.push_back(std::get<std::int64_t>(v));
        return out;
    }

    /// The index of a configuration. It is empty where the configuration has another length, has a value not in its
    /// parameter's list, or fails a constraint.
    [[nodiscard]] std::optional<index> index_of(const config& c) const
    {
        return value_product::index_of(value_product::config(c.begin(), c.end()));
    }

private:
    [[nodiscard]] static std::vector<value_parameter> values_of(const std::vector<dynamic_parameter>& parameters)
    {
        std::vector<value_parameter> out;
        for (const auto& p : parameters) out.push_back({p.name, {p.values.begin(), p.values.end()}});
        return out;
    }
};

}  // namespace tunekit::space
