// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Recordings: spaces whose configurations were all measured, or can be computed. Strategies are scored on them.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/config.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/replay.hpp"
#include "tunekit/processes/files/problem.hpp"
#include "tunekit/space/any_space.hpp"

namespace tunekit::scoring {

/// A space with the measurement of each of its configurations and the time that it took. `recording_of`, `computed` and
/// `read_recordings` make one.
struct recording {
    /// The row of a configuration that has no row in a file.
    static constexpr std::size_t no_row = static_cast<std::size_t>(-1);

    std::string name;                         ///< of the space
    std::string kernel;                       ///< spaces of one kernel are left out together
    space::any_space space;                   ///< its configurations
    std::vector<measure::recorded_row> rows;  ///< of configuration i
    double optimum = 0;                       ///< the lowest cost, seconds; infinite where nothing ran
    std::vector<std::size_t> source_rows =
        {};  ///< of configuration i its row in the file, from 0, or `no_row`; may be empty
    std::vector<io::problem> problems = {};  ///< rows of the file that were skipped
};

/// Makes a recording from a table whose row i is configuration i.
/// Errors: std::invalid_argument where the table has not as many rows as the space has configurations.
[[nodiscard]] inline recording recording_of(std::string name, std::string kernel, space::any_space space,
                                            std::vector<measure::recorded_row> rows)
{
    if (rows.size() != space.size())
        invalid("recording_of: \"" + name + "\" has " + core::detail::counted(rows.size(), "row") + " for " +
                core::detail::counted(space.size(), "configuration") + ", want one for each");
    double optimum = std::numeric_limits<double>::infinity();
    for (const auto& row : rows)
        if (row.result.ok()) optimum = (std::min)(optimum, row.result.cost);
    return {std::move(name), std::move(kernel), std::move(space), std::move(rows), optimum};
}

/// Makes a synthetic recording. Configuration i costs `cost_of(i)` seconds, and evaluating it takes `seconds_each`. A
/// cost that is not positive and finite is a failure.
///
///     const auto bowl = scoring::computed("bowl", space, [](tk::index i) { return 1e-3 + 1e-5 * static_cast<double>(i); });
///
/// Errors: std::invalid_argument where `seconds_each` is not positive.
/// Cost:   one call of `cost_of` per configuration.
template <class CostOf>
[[nodiscard]] recording computed(std::string name, space::any_space space, CostOf&& cost_of, double seconds_each = 1)
{
    require(seconds_each > 0, "computed: seconds_each is not positive, want > 0");
    std::vector<measure::recorded_row> rows(static_cast<std::size_t>(space.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        measure::measurement& result = rows[i].result;
        const double cost = cost_of(static_cast<index>(i));
        if (cost > 0 && std::isfinite(cost)) result.cost = cost, result.runs = 1;
        else result.failed = {measure::failure_kind::invalid, 0, "is refused"};
        result.run_seconds = rows[i].seconds = seconds_each;
    }
    std::string kernel = name;
    return recording_of(std::move(name), std::move(kernel), std::move(space), std::move(rows));
}

}  // namespace tunekit::scoring
