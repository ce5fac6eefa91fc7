// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// How the costs of results were read from their runs, which a log does not say and its runs show.

#include <string>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/records/log.hpp"

namespace tunekit::io::detail {

/// In which ways costs may have been read from the runs of their results. Each result whose runs differ leaves fewer;
/// where none is left, they were read in another way, and nothing more is known.
struct cost_reading {
    bool fastest = true;  ///< `measure::fastest_quarter`
    bool mean = true;
    bool median = true;
    bool all_have_runs = true;  ///< every whole cost has the runs that it was read from

    void hear(const measure::measurement& m);

    [[nodiscard]] bool known() const noexcept { return (fastest || mean || median) && !(fastest && mean && median); }
    /// Whether the costs of both cannot have been read in one way.
    [[nodiscard]] bool differs(const cost_reading& from) const noexcept
    {
        const bool shared = (fastest && from.fastest) || (mean && from.mean) || (median && from.median);
        return known() && from.known() && !shared;
    }
    /// Such as "the mean of its runs", where it is known.
    [[nodiscard]] std::string text() const;

    /// The same result with its cost read anew, as that of its fastest runs. As it is, where not all of these results
    /// have their runs, or their costs are something else.
    [[nodiscard]] measure::measurement by_fastest(measure::measurement m) const;
};

/// Whether the costs of a log are times, as it says.
[[nodiscard]] bool has_times(const log_content::head& h);

}  // namespace tunekit::io::detail
