// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Recorded spaces as search spaces, and as tables for `measure::replay`.

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/formats/listed.hpp"
#include "tunekit/formats/space_record.hpp"
#include "tunekit/measure/replay.hpp"
#include "tunekit/processes/files/problem.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/space/value_product.hpp"

namespace tunekit::io {

/// The space of a recording: its parameters, values and constraints.
/// Errors: std::invalid_argument where an expression does not parse or names another parameter.
template <std::same_as<recorded_space> Recorded>  // a template, so that only callers pay for the space
[[nodiscard]] space::value_product space_of(const Recorded& recorded)
{
    std::vector<space::value_parameter> parameters;
    for (const auto& p : recorded.parameters) parameters.push_back({p.name, p.values});
    return {std::move(parameters), recorded.constraints};
}

/// The space of a recording's rows alone: row k is configuration k. Use it for a random sample of a space.
/// Errors: std::invalid_argument where there is no row.
template <std::same_as<recorded_space> Recorded>
[[nodiscard]] space::listed listed_space_of(const Recorded& recorded)
{
    std::vector<std::string> names;
    for (const auto& p : recorded.parameters) names.push_back(p.name);
    std::vector<space::listed::config> rows;
    for (const auto& row : recorded.rows) {
        auto& config = rows.emplace_back();
        for (std::size_t j = 0; j < names.size(); ++j) config.push_back(recorded.parameters[j].values[row.ordinals[j]]);
    }
    return {std::move(names), rows};
}

/// The table of `listed_space_of(recorded)`: all rows, in their order.
[[nodiscard]] inline recorded_space::table table_of(const recorded_space& recorded)
{
    recorded_space::table out;
    for (const auto& row : recorded.rows) {
        out.source.push_back(out.rows.size());
        out.rows.push_back(row.record);
    }
    return out;
}

/// The rows in the order of the indices of `space`. Precondition: its parameters and values are those of `recorded`, in
/// the same order. A configuration that was not recorded is a failure (invalid) that takes no time, and a problem. A
/// row outside the space is a problem too.
template <space::gridded Space>
    requires space::counted<Space>
[[nodiscard]] recorded_space::table table_of(const recorded_space& recorded, const Space& space)
{
    require(space.dimensions() == recorded.parameters.size(),
            "table_of: the space has other parameters than the record, want the same");
    recorded_space::table out;
    const std::size_t none = recorded.rows.size();
    out.rows.resize(static_cast<std::size_t>(space.size()));
    out.source.assign(out.rows.size(), none);
    for (std::size_t k = 0; k < recorded.rows.size(); ++k) {
        const auto& row = recorded.rows[k];
        const std::optional<index> i = space.index_of_ordinals(row.ordinals);
        if (!i) {
            out.problems.push_back(
                {"record", row.line, "", "is not a configuration of the space, want one within the constraints"});
            continue;
        }
        out.rows[static_cast<std::size_t>(*i)] = row.record;
        out.source[static_cast<std::size_t>(*i)] = k;
    }
    std::size_t missing = 0;
    for (std::size_t i = 0; i < out.rows.size(); ++i) {
        if (out.source[i] != none) continue;
        out.rows[i].result.failed = {measure::failure_kind::invalid, 0, "was not recorded"};
        ++missing;
    }
    if (missing != 0)
        out.problems.push_back(
            {"record", 0, "",
             core::detail::counted(missing, "configuration") + " of the space without a row, want all recorded"});
    return out;
}

}  // namespace tunekit::io
