// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// How the costs of a task are told: as times, as numbers with or without a unit, or as scores.

#include <charconv>
#include <limits>
#include <string>

#include "tunekit/core/text.hpp"
#include "tunekit/report/detail/markup.hpp"
#include "tunekit/stats/interval.hpp"

namespace tunekit::report {

/// The unit of a task's costs. A score, of which more is better, is kept as the cost 1 / score and told as the score.
///
///     report::cost_unit{}.text(0.0012);                          // "1.200 ms"
///     report::cost_unit{.name = "GB/s", .maximize = true}.text(0.02);  // "50 GB/s"
struct cost_unit {
    std::string name = "s";  ///< "s": costs are times; empty: numbers without a unit
    bool maximize = false;   ///< costs are 1 / scores, and scores are told

    /// Whether a cost is told as a time that passes.
    [[nodiscard]] bool is_time() const { return name == "s" && !maximize; }
    /// What is told of a cost: "time", "score" or "cost".
    [[nodiscard]] const char* word() const { return is_time() ? "time" : maximize ? "score" : "cost"; }
    /// The number that is told of a cost.
    [[nodiscard]] double shown(double cost) const { return maximize ? 1 / cost : cost; }
    /// The same of an interval of costs.
    [[nodiscard]] stats::interval shown(const stats::interval& of) const
    {
        if (!maximize) return of;
        return {1 / of.high, of.low > 0 ? 1 / of.low : std::numeric_limits<double>::infinity()};
    }
    /// The number with its unit; of times in the unit that suits, with four digits.
    [[nodiscard]] std::string text(double cost, int digits = 4) const
    {
        if (name == "s") return detail::time(shown(cost), digits);
        const std::string out = core::text_of(shown(cost), std::chars_format::general, digits + 1);
        return name.empty() ? out : out + "\xC2\xA0" + name;
    }
    /// "1.1 ms to 1.3 ms"; empty where an end is unknown.
    [[nodiscard]] std::string text(const stats::interval& within) const
    {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        if (!(within.low > 0 && within.high < infinity)) return {};
        return maximize ? text(within.high) + " to " + text(within.low) : text(within.low) + " to " + text(within.high);
    }
    /// The unit of an axis whose lowest number that is told is `low`.
    [[nodiscard]] detail::time_unit axis(double low) const
    {
        return name == "s" ? detail::unit_of(low) : detail::time_unit{1, name.c_str()};
    }
};

}  // namespace tunekit::report
