// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What a run may spend.

#include <cstddef>
#include <cstdint>
#include <limits>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/concepts.hpp"

namespace tunekit {

inline constexpr std::uint64_t unlimited = (std::numeric_limits<std::uint64_t>::max)();
inline constexpr double forever = std::numeric_limits<double>::infinity();

/// The limits of one candidate, relative to what the run has reached.
struct candidate_limits {
    double abandon_factor = forever;  ///< a candidate this many times as slow as the incumbent may be cut short; > 1
    double run_seconds = 10;          ///< wall time of its runs
    double build_seconds = 10;        ///< wall time of its build

    /// The limits to propose a batch with when the incumbent costs `best` (+inf without one).
    [[nodiscard]] measure::limits at(double best) const
    {
        return {.abandon_above = abandon_factor < forever ? abandon_factor * best : forever,
                .run_seconds = run_seconds,
                .build_seconds = build_seconds};
    }
};

/// The budget of `tune`: whatever is reached first. Tested between batches, so the last batch may overrun `seconds`.
struct budget {
    std::uint64_t trials = unlimited;
    double seconds = forever;
    std::uint64_t patience = unlimited;  ///< trials without improvement, once there is an incumbent
    std::size_t batch = 8;               ///< configurations asked for at a time
    candidate_limits limits{};
};

/// The budget of `tune_tasks`.
struct tasks_budget {
    double seconds = forever;                     ///< of all tasks together
    std::uint64_t trials_per_task = unlimited;
    std::uint64_t patience = unlimited;           ///< trials of one task without improvement
    double slot_seconds = 0;                      ///< a slot ends at the first batch that reaches this; 0: see `slot`
    std::size_t batch = 8;
    candidate_limits limits{};

    /// The slot's length for `n` tasks: `slot_seconds`, or else seconds / (20 n), held within [0.1, 100] s.
    [[nodiscard]] double slot(std::size_t n) const
    {
        if (slot_seconds > 0) return slot_seconds;
        const double share = seconds / (20 * static_cast<double>(n));
        return share < 0.1 ? 0.1 : share > 100 ? 100 : share;
    }
};

namespace detail {

inline void check(const candidate_limits& l)
{
    require(l.abandon_factor > 1, "candidate_limits: abandon_factor is 1 or less, want > 1 (infinity: never)");
    require(l.run_seconds > 0 && l.build_seconds > 0, "candidate_limits: run_seconds or build_seconds is not positive, want > 0");
}

inline void check(const budget& b)
{
    require(b.batch > 0, "budget: batch is 0, want >= 1");
    require(b.seconds >= 0, "budget: seconds is negative or NaN, want >= 0");
    check(b.limits);
}

inline void check(const tasks_budget& b)
{
    require(b.batch > 0, "tasks_budget: batch is 0, want >= 1");
    require(b.seconds >= 0, "tasks_budget: seconds is negative or NaN, want >= 0");
    require(b.slot_seconds >= 0, "tasks_budget: slot_seconds is negative or NaN, want >= 0");
    check(b.limits);
}

}  // namespace detail
}  // namespace tunekit
