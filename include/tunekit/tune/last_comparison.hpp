// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The end of a run: its best trials are measured afresh, side by side with the configuration that is used today.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/race.hpp"
#include "tunekit/tune/task.hpp"
#include "tunekit/tune/tuning.hpp"

namespace tunekit {

/// The candidates of a last comparison: the best `n` trials and known results, best first, and `untuned`, the last
/// unless it is among them.
[[nodiscard]] inline std::vector<index> line_up(const tuning& record, std::size_t n, index untuned)
{
    std::vector<index> out = record.finalists(n);
    if (std::find(out.begin(), out.end(), untuned) == out.end()) out.push_back(untuned);
    return out;
}

/// Seconds of a round that measures each of `all` as it was measured, or by one run each with `single_runs`; one that
/// has no measurement counts as the longest of the others. A millisecond at least.
[[nodiscard]] inline double round_seconds(const tuning& record, std::span<const index> all, bool single_runs = false)
{
    double sum = 0, most = 1e-3;
    std::size_t unknown = all.size();
    const auto add = [&](const measure::trial& t, double least) {
        if (!t.measured.ok() || std::find(all.begin(), all.end(), t.candidate) == all.end()) return;
        const double seconds =
            (std::max)(t.measured.run_seconds / (single_runs ? (std::max)(t.measured.runs, 1U) : 1U), least);
        sum += seconds;
        most = (std::max)(most, seconds);
        --unknown;
    };
    if (!single_runs)                                                            // else costs need not be seconds
        for (const measure::trial& t : record.known()) add(t, t.measured.cost);  // it may tell its cost alone
    for (const measure::trial& t : record.trials()) add(t, 0);
    return (std::max)(sum + static_cast<double>(unknown) * most, 1e-3);
}

/// What a last comparison says.
struct last_comparison {
    std::optional<index> best;  ///< the fastest of those that the race cannot tell apart; empty where all failed
    double cost = std::numeric_limits<double>::infinity();          ///< seconds of the best; else +inf
    double untuned_cost = std::numeric_limits<double>::infinity();  ///< seconds of `untuned`; +inf where it failed
    measure::race_result race;                                      ///< each finalist's standing
};

/// What a race says. Of those that it cannot tell apart the one with the lowest cost is taken.
///
/// Costs of rounds that were not run side by side do not compare, and a finalist that drops out has fewer rounds. So
/// the cost of each is that of the race's winner times what it was slower in common rounds.
[[nodiscard]] inline last_comparison comparison_of(measure::race_result race, index untuned)
{
    last_comparison out;
    out.race = std::move(race);
    for (const measure::standing& s : out.race.standings) {
        if (s.failed || s.costs.empty()) continue;
        const double cost = out.race.cost * (1 + s.against_winner.median);
        if (s.candidate == untuned) out.untuned_cost = cost;
        if (!s.tied || cost >= out.cost) continue;
        out.cost = cost;
        out.best = s.candidate;
    }
    return out;
}

/// Measures the finalists afresh by a race, for `comparison_of`.
///
/// Errors: those of `measure::race`.
/// Cost:   that of the race.
template <measure::measurer M>
[[nodiscard]] last_comparison compare_finalists(M& measure, std::span<const index> finalists, index untuned,
                                                const measure::limits& within, const measure::race_options& how)
{
    return comparison_of(measure::race(measure, finalists, within, how), untuned);
}

/// The best two trials of every task of a plan beside the task's `untuned`, one task after the other, each with its
/// share of the seconds but at least one round. `measurer_of(k)` measures task k.
template <class MeasurerOf>
[[nodiscard]] std::vector<last_comparison> compare_finalists(MeasurerOf&& measurer_of, const plan& found,
                                                             std::span<const index> untuned, double seconds,
                                                             const measure::limits& within)
{
    const measure::wall_clock now;
    const double end = now() + seconds;
    std::vector<double> rounds;  // seconds of one of each task
    double left = 0;
    for (std::size_t k = 0; k < untuned.size(); ++k) {
        const tuning& record = found.tasks[k].record;
        left += rounds.emplace_back(round_seconds(record, line_up(record, 2, untuned[k])));
    }
    std::vector<last_comparison> out;
    for (std::size_t k = 0; k < untuned.size(); ++k) {
        auto measurer = measurer_of(k);
        const double share = (end - now()) * rounds[k] / left;
        out.push_back(compare_finalists(measurer, line_up(found.tasks[k].record, 2, untuned[k]), untuned[k], within,
                                        {.max_seconds = (std::max)(share, 1e-3)}));
        left -= rounds[k];
    }
    return out;
}

/// Says when tuning has to stop because the rest of the seconds is needed for the last comparison: two rounds of every
/// task, at most 0.3 of the seconds.
class comparison_reserve {
public:
    static constexpr double usual_share = 0.1;  ///< what tuning leaves for it from the start

    /// For a run of so many seconds, over tasks that use the configurations `untuned` today.
    comparison_reserve(double seconds, std::vector<index> untuned)
        : seconds_(seconds), untuned_(std::move(untuned)), rounds_(untuned_.size(), -1)
    {
    }

    /// Whether tuning has to stop, after an answer of task k.
    [[nodiscard]] bool needed(const plan& p, std::size_t k)
    {
        const tuning& record = p.tasks[k].record;
        if (record.found()) rounds_[k] = round_seconds(record, line_up(record, 2, untuned_[k]));
        double comparison = 0;
        for (const double r : rounds_) {
            if (r < 0) return false;  // not before every task has something to compare
            comparison += 2 * r;
        }
        return p.seconds + (std::min)(comparison, 0.3 * seconds_) >= seconds_;
    }

private:
    double seconds_;
    std::vector<index> untuned_;
    std::vector<double> rounds_;  // seconds of one of each task
};

}  // namespace tunekit
