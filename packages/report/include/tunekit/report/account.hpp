// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What a task's run came to, as terminal, JSON and page tell it: its best configuration, what that is compared with,
/// what the last comparison cannot tell from it, and what failed.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/measure/race.hpp"
#include "tunekit/report/importance.hpp"
#include "tunekit/report/run.hpp"
#include "tunekit/stats/interval.hpp"
#include "tunekit/tune/last_comparison.hpp"
#include "tunekit/tune/pareto.hpp"
#include "tunekit/tune/tuning.hpp"
#include "tunekit/tune/verdict.hpp"

namespace tunekit::report {

namespace detail {

/// The race of a task's rounds, without standings where there were none. They are judged as they were when they were
/// run, so a log's rounds give the same account. A round that was interrupted does not count.
[[nodiscard]] inline measure::race_result race_of(const seen_task& t)
{
    std::vector<index> finalists;
    for (const seen_task::trial& x : t.rounds)
        if (x.round == 0) finalists.push_back(x.candidate);
    measure::race_options how{.max_rounds = 1000};
    for (const std::size_t k : t.goals)
        if (k > 0) how.values.push_back(k - 1);
    measure::race_track track(finalists, how);
    for (std::uint64_t round = 0; !track.over(); ++round) {
        std::vector<measure::measurement> measured;
        const auto lined_up = track.lines_up();
        for (const index i : lined_up)
            for (const seen_task::trial& x : t.rounds)
                if (x.round == round && x.candidate == i) measured.push_back(x.measured);
        if (measured.size() != lined_up.size()) break;
        track.finishes(measured);
    }
    return track.verdict();
}

/// What the task ends with. The best of several goals may be worse than the baseline in one of them.
[[nodiscard]] inline last_comparison concluded(const seen_task& t)
{
    tuning record;
    record.seconds_to_separate = t.seconds_to_separate;
    const auto ran = [](const seen_task::trial& x) {
        return x.verified() || (x.measured.at_least && std::isfinite(x.measured.cost));
    };
    for (const seen_task::trial& x : t.known)
        if (ran(x)) record.know({.candidate = x.candidate, .measured = x.measured});
    for (const seen_task::trial& x : t.trials)
        if (ran(x)) record.append({.candidate = x.candidate, .measured = x.measured}, 0);
    return tunekit::concluded(record, race_of(t), t.baseline, !t.never_worse || !t.goals.empty());
}

}  // namespace detail

/// The findings from a task's trials.
struct findings {
    /// A configuration with what is known of it.
    struct configuration {
        index candidate = 0;                                     ///< its index
        std::vector<std::string> values{};                       ///< one per parameter; empty where the source has none
        double cost = std::numeric_limits<double>::quiet_NaN();  ///< of the last comparison, or else of its trial
        stats::interval within{};                                ///< 95 %; unbounded where nothing is known
        std::size_t runs = 0;                                    ///< behind the cost
        measure::measured_values numbers{};                      ///< beside the cost, of its trial
        std::optional<std::size_t> trial{};                      ///< its place among the trials
    };

    /// The failures of one kind.
    struct failure_count {
        measure::failure_kind kind{};  ///< of the failures
        std::size_t trials = 0;        ///< their number
        std::string message{};         ///< that of the first
        /// The values of one parameter that 90 % of them have, and with which 90 % of the trials fail so:
        /// "tile = 16, 32". Empty where no parameter explains them.
        std::string where{};
    };

    /// A parameter's values as they occurred: in the order of the space where that is known, else numbers by size and
    /// other texts by name.
    struct value_axis {
        std::string name{};                   ///< of the parameter
        std::vector<std::string> values{};    ///< in order; each once
        std::vector<std::size_t> of_trial{};  ///< position per trial
        bool numeric = false;                 ///< whether all values are numbers
    };

    /// A parameter that changes nothing: configurations that differ in it alone cost the same to the last bit, each
    /// time and beyond chance.
    struct idle_parameter {
        std::size_t parameter = 0;    ///< its place among the axes
        std::size_t comparisons = 0;  ///< of a configuration with one that differs in it alone
        /// "pipeline = off" where it changes nothing then, and something otherwise; empty: it never does.
        std::string where{};
    };

    std::optional<std::size_t> winner{};     ///< position of the best trial, by the last comparison where there was one
    std::optional<std::size_t> reference{};  ///< what the winner is compared with: baseline, or the first that ran
    bool against_baseline = false;           ///< whether `reference` is the baseline
    double gain = 1;                         ///< cost of the reference / cost of the winner
    stats::interval gain_range;              ///< 95 %, by the comparison or by their spreads; unbounded where unknown
    std::optional<configuration> best{};     ///< the winner as it is told; a known result may be it, too
    std::optional<configuration> compared{};           ///< `reference` as it is told
    std::vector<configuration> tied{};                 ///< those that do not differ from the best at 95 %, best first
    std::optional<measure::failure> default_failed{};  ///< why there is no cost of the baseline
    tunekit::verdict verdict{};                        ///< what may be said of the best
    std::size_t runs = 0, slow_runs = 0;    ///< timed runs; those that took more than twice their configuration's least
    std::vector<std::size_t> incumbents{};  ///< positions at which the incumbent changed
    std::vector<failure_count> failures{};  ///< most frequent first
    std::size_t verified = 0, failed = 0, cut_short = 0;  ///< trials of each outcome
    std::size_t over_limit = 0;                           ///< trials that break the limit of the objective
    std::optional<configuration> nearest{};  ///< where none keeps the limit: the one that breaks it by the least
    std::optional<pareto> front{};           ///< where there are several goals
    double late_gain = 0;  ///< share of its cost by which the incumbent fell in the last quarter of the trials
    std::vector<value_axis> axes{};                      ///< one per parameter
    std::optional<surrogate::variance_shares> shares{};  ///< of the variance of ln cost; empty where too few ran
    std::optional<surrogate::variance_shares>
        shares_good{};                   ///< the same, with costs above the median set to the median
    std::vector<std::size_t> order{};    ///< parameters, the most important ones first
    std::vector<idle_parameter> idle{};  ///< most comparisons first
};

}  // namespace tunekit::report
