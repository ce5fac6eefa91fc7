// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The end of a run over several tasks: the best trials of each are measured afresh beside the default.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/race.hpp"
#include "tunekit/tune/task.hpp"
#include "tunekit/tune/tuning.hpp"

namespace programs {

/// What the last comparison says of a task.
struct outcome {
    std::optional<tunekit::index> best;
    double default_cost = std::numeric_limits<double>::infinity();
    double cost = std::numeric_limits<double>::infinity();
    std::size_t tied = 0;
};

/// The candidates of the last comparison: the best two trials and the default.
inline std::vector<tunekit::index> finalists_of(const tunekit::tuning& record, tunekit::index untuned)
{
    std::vector<tunekit::index> out = record.finalists(2);
    if (std::find(out.begin(), out.end(), untuned) == out.end()) out.push_back(untuned);
    return out;
}

/// Seconds of one round of it, from the finalists that have been measured in full.
inline double round_seconds(const tunekit::tuning& record, tunekit::index untuned)
{
    double sum = 0, most = 1e-3;
    const auto finalists = finalists_of(record, untuned);
    std::size_t unknown = finalists.size();
    for (const auto& t : record.trials()) {
        if (!t.measured.ok() || std::find(finalists.begin(), finalists.end(), t.candidate) == finalists.end()) continue;
        sum += t.measured.run_seconds;
        most = (std::max)(most, t.measured.run_seconds);
        --unknown;
    }
    return sum + static_cast<double>(unknown) * most;
}

/// The finalists, measured afresh in interleaved rounds for about `seconds`. Of those that the race cannot tell apart the one
/// with the lowest fresh median is taken.
template <class Measurer>
outcome compare_finalists(Measurer measurer, const tunekit::tuning& record, tunekit::index untuned, double seconds)
{
    const auto result = tunekit::measure::race(measurer, finalists_of(record, untuned), {.run_seconds = 5},
                                               {.max_rounds = 60, .max_seconds = (std::max)(seconds, 1e-3)});
    outcome out{.best = {}, .tied = result.tied.size()};
    // Costs of rounds that were not run side by side do not compare: all are told by what they were slower in common rounds.
    for (const auto& s : result.standings) {
        const double cost = result.cost * (1 + s.against_winner.median);
        if (s.candidate == untuned && !s.failed) out.default_cost = cost;
        if (s.tied && cost < out.cost) {
            out.cost = cost;
            out.best = s.candidate;
        }
    }
    return out;
}

/// The same of every task of a plan, one after the other, each with its share of the seconds; `measurer_of(k)` measures task k.
template <class MeasurerOf>
std::vector<outcome> compare_all(MeasurerOf&& measurer_of, const tunekit::plan& plan,
                                 const std::vector<tunekit::index>& untuned, double seconds)
{
    const tunekit::measure::wall_clock now;
    const double end = now() + seconds;
    std::vector<double> rounds;  // seconds of one of each task
    double left = 0;
    for (std::size_t k = 0; k < untuned.size(); ++k)
        left += rounds.emplace_back(round_seconds(plan.tasks[k].record, untuned[k]));
    std::vector<outcome> out;
    for (std::size_t k = 0; k < untuned.size(); ++k) {
        const double share = (end - now()) * rounds[k] / left;
        out.push_back(compare_finalists(measurer_of(k), plan.tasks[k].record, untuned[k], share));
        left -= rounds[k];
    }
    return out;
}

/// Says when tuning has to stop because the rest of the seconds is needed for the last comparison: two rounds of every task,
/// at most 0.3 of the seconds.
class comparison_reserve {
public:
    static constexpr double usual_share = 0.1;  ///< what tuning leaves for it from the start

    comparison_reserve(double seconds, std::vector<tunekit::index> untuned)
        : seconds_(seconds), untuned_(std::move(untuned)), rounds_(untuned_.size(), -1)
    {
    }

    /// After an answer of task k.
    [[nodiscard]] bool needed(const tunekit::plan& p, std::size_t k)
    {
        const auto& record = p.tasks[k].record;
        if (record.found()) rounds_[k] = round_seconds(record, untuned_[k]);
        double comparison = 0;
        for (const double r : rounds_) {
            if (r < 0) return false;  // not before every task has something to compare
            comparison += 2 * r;
        }
        return p.seconds + (std::min)(comparison, 0.3 * seconds_) >= seconds_;
    }

private:
    double seconds_;
    std::vector<tunekit::index> untuned_;
    std::vector<double> rounds_;  // seconds of one of each task
};

/// How many trials each worker had: "31+29".
inline std::string trials_by_worker(const tunekit::tuning& record, std::size_t workers)
{
    std::vector<std::size_t> n(workers);
    for (const auto& t : record.trials()) {
        if (t.worker >= n.size()) n.resize(t.worker + 1);  // a log of a run with more
        ++n[t.worker];
    }
    std::string out;
    for (const std::size_t x : n) out += (out.empty() ? "" : "+") + std::to_string(x);
    return out;
}

}  // namespace programs
