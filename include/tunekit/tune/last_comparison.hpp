// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The end of a run: its best trials are measured afresh, side by side with the configuration that is used today.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/race.hpp"
#include "tunekit/tune/task.hpp"
#include "tunekit/tune/tuning.hpp"
#include "tunekit/tune/verdict.hpp"

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

/// What a last comparison says: its verdict, and the race behind it.
struct last_comparison : verdict {
    measure::race_result race;  ///< each finalist's standing
};

/// What a race says. Of those that it cannot tell apart the one with the lowest cost is taken; there is no best if
/// all failed.
///
/// Costs of rounds that were not run side by side do not compare, and a finalist that drops out has fewer rounds. So
/// the cost of each is that of the race's winner times what it was slower in common rounds.
[[nodiscard]] inline last_comparison comparison_of(measure::race_result race, std::optional<index> untuned)
{
    last_comparison out;
    out.race = std::move(race);
    for (const measure::standing& s : out.race.standings) {
        if (s.failed || s.costs.empty()) continue;
        ++out.finalists;
        const double cost = out.race.cost * (1 + s.against_winner.median);
        if (s.candidate == untuned) out.untuned_cost = cost;
        if (!s.tied || cost >= out.cost) continue;
        out.cost = cost;
        out.best = s.candidate;
    }
    if (out.race.rounds > 0) out.confidence = out.race.confidence;
    out.rounds = out.race.rounds;
    out.rounds_to_separate =
        measure::rounds_to_separate((std::max)(out.race.standings.size(), std::size_t{2}), out.confidence);
    out.tied = out.race.tied;
    if (out.best) std::erase(out.tied, *out.best);
    if (out.finalists < 2) return out;
    out.says = out.rounds < out.rounds_to_separate ? verdict::kind::unclear
               : out.tied.empty()                  ? verdict::kind::separated
                                                   : verdict::kind::tied;
    if (out.says == verdict::kind::separated) out.slower_at_least = out.race.gap.low;
    return out;
}

namespace detail {

/// Whether the slowest of at least three runs is below the fastest of at least three others.
[[nodiscard]] inline bool all_below(const std::vector<double>& runs, const std::vector<double>& others)
{
    return runs.size() >= 3 && others.size() >= 3 &&
           *std::max_element(runs.begin(), runs.end()) < *std::min_element(others.begin(), others.end());
}

/// What the record has of a configuration that ran and keeps the limit of its objective; null if there is nothing.
[[nodiscard]] inline const measure::measurement* measured_of(const tuning& record, index candidate)
{
    for (const auto* const all : {&record.trials(), &record.known()})
        for (const measure::trial& t : *all)
            if (t.candidate == candidate && !t.measured.failed && !t.measured.over_limit()) return &t.measured;
    return nullptr;
}

/// Whether `best` was shown to be faster than `baseline`, which ran: by the race, or by runs all of which are faster.
[[nodiscard]] inline bool shown_faster(const last_comparison& by, const tuning& record, index best, index baseline)
{
    const measure::standing *mine = nullptr, *its = nullptr;
    for (const measure::standing& s : by.race.standings) {
        if (s.candidate == best) mine = &s;
        if (s.candidate == baseline) its = &s;
    }
    if (its != nullptr && (its->failed || (!its->costs.empty() && !its->tied))) return true;
    std::vector<double> runs = mine != nullptr ? mine->costs : std::vector<double>();
    std::vector<double> others = its != nullptr ? its->costs : std::vector<double>();
    if (runs.size() < 3 || others.size() < 3)
        for (auto [to, i] : {std::pair(&runs, best), std::pair(&others, baseline)})
            if (const auto* const m = measured_of(record, i); m != nullptr)
                to->insert(to->end(), m->batches.begin(), m->batches.end());
    return all_below(runs, others);
}

/// Keeps a round in a record.
inline void keep_round(tuning& record, std::span<const index> line, std::span<const measure::measurement> measured)
{
    auto& round = record.rounds.emplace_back();
    for (std::size_t k = 0; k < measured.size(); ++k) round.push_back({.candidate = line[k], .measured = measured[k]});
}

/// A measurer of races that keeps what it measured in a record.
template <class Measurer>
struct rounds_kept {
    Measurer of;
    tuning& record;

    [[nodiscard]] std::vector<measure::measurement> measure(std::span<const index> batch, const measure::limits& within)
    {
        auto out = of.measure(batch, within);
        keep_round(record, batch, out);
        return out;
    }
};

}  // namespace detail

/// What a run ends with: what its race says or, if there was none, its best trial.
///
/// A `baseline` that ran stays the best, unless the race shows that it is slower, or every one of at least three runs
/// of the best is faster than every run of it. If both have three rounds of the race, these are the runs; otherwise
/// those of their trials count, too. With `may_be_worse` the best may be worse than the baseline.
[[nodiscard]] inline last_comparison concluded(const tuning& record, measure::race_result race,
                                               std::optional<index> baseline, bool may_be_worse = false)
{
    last_comparison out = comparison_of(std::move(race), baseline);
    const measure::measurement* const before = baseline ? detail::measured_of(record, *baseline) : nullptr;
    if (!out.best && record.found() && !record.incumbent().measured.over_limit()) {
        out.best = record.incumbent().candidate;
        out.cost = record.best_cost();
        if (before != nullptr) out.untuned_cost = before->cost;
    }
    out.seconds_to_separate = record.seconds_to_separate;
    if (out.says == verdict::kind::not_raced && out.seconds_to_separate > 0)
        out.says = verdict::kind::unclear;  // there was no time for a race
    if (!out.best || before == nullptr || out.best == baseline || may_be_worse ||
        detail::shown_faster(out, record, *out.best, *baseline))
        return out;
    std::replace(out.tied.begin(), out.tied.end(), *baseline, *out.best);
    std::sort(out.tied.begin(), out.tied.end());
    if (!(out.untuned_cost < forever)) out.untuned_cost = before->cost;  // it was not in the race
    out.best = baseline;
    out.cost = out.untuned_cost;
    out.kept = true;
    return out;
}

/// Who takes part in the race that ends a run, and how long it may take.
///
/// They are the baseline and the best three, or the best four if no baseline ran: as many of them as can be told
/// apart in the seconds that are kept for it, or else the best and the baseline in twice as many, or else nobody. Of a
/// budget of seconds 5 % are kept. Without one it may take 10 % of the seconds that the run took, and 1 s in any case.
struct final_race {
    static constexpr double kept = 0.05;  ///< the share of a budget of seconds that tuning leaves for it
    static constexpr double most = 0.1;   ///< the share of a run's seconds that it may take

    std::vector<index> finalists{};  ///< empty if there is no time to tell two apart
    double seconds = 0;              ///< after which it ends, once its rounds can have told them apart
    double most_seconds = 0;         ///< after which it ends in any case
    double seconds_to_separate = 0;  ///< see `tuning`; 0: only one ran
    std::uint32_t runs = 1;          ///< of a finalist in a round; 1: as often as its measurer says

    /// For a run with a budget of `of_run` seconds, which may be infinite: then telling two apart may take
    /// `short_seconds` in any case.
    final_race(const tuning& record, std::optional<index> baseline, double of_run, std::uint32_t runs_of_round,
               double short_seconds = 1)
        : seconds(of_run < forever ? kept * of_run : (std::max)(1.0, most * record.seconds())),
          most_seconds(of_run < forever ? most * of_run : (std::max)(short_seconds, seconds)),
          runs(runs_of_round)
    {
        if (!record.found()) return;
        std::vector<index> line = record.finalists(4);
        if (baseline && detail::measured_of(record, *baseline) != nullptr) {
            line = line_up(record, 3, *baseline);
            std::stable_partition(line.begin() + 1, line.end(), [&](index i) { return i == baseline; });
        }
        enter(record, std::move(line));
    }

    /// For a line of your own, of which the first two matter most, in so many seconds.
    final_race(const tuning& record, std::vector<index> line, double of_race, std::uint32_t runs_of_round)
        : seconds(of_race), most_seconds(of_race), runs(runs_of_round)
    {
        enter(record, std::move(line));
    }

private:
    void enter(const tuning& record, std::vector<index> line)
    {
        if (line.size() < 2) return;
        const auto enough = [&](std::size_t n) {
            return measure::rounds_to_separate(n) * runs * round_seconds(record, std::span(line).first(n), true);
        };
        seconds_to_separate = enough(2) / most;
        while (line.size() > 2 && enough(line.size()) > seconds) line.pop_back();
        if (enough(line.size()) <= most_seconds) finalists = std::move(line);
    }
};

/// Runs the race that ends a run, and keeps its rounds and its time in the record. `fresh()` returns the measurer of a
/// round. Errors: what the measurer throws; the rounds before it are kept.
template <class Fresh, class Clock>
[[nodiscard]] measure::race_result race_of(tuning& record, const final_race& on, Fresh&& fresh, measure::limits within,
                                           Clock&& now, const measure::race_options& how = {})
{
    if (on.runs > 1) {
        within.abandon_above = 0;  // so that none of the runs is left out
        within.max_runs = on.runs;
    }
    measure::race_track track(on.finalists, how);
    record.rounds.clear();
    const std::uint32_t enough = measure::rounds_to_separate(on.finalists.size());
    const double start = now();
    for (double spent = 0; !track.over() && spent < (record.rounds.size() < enough ? on.most_seconds : on.seconds);
         spent = now() - start) {
        auto&& measurer = fresh();
        const std::vector<index> line = track.lines_up();
        auto measured = measurer.measure(line, within);
        for (measure::measurement& m : measured) m.at_least = false;
        detail::keep_round(record, line, measured);
        track.finishes(measured);
    }
    record.pass(now() - start);
    return track.verdict();
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
/// share of the seconds but at least one round. `measurer_of(k)` gives the measurer of a round of task k. Each task
/// ends with what `concluded` says, and its record keeps the rounds.
template <class MeasurerOf>
[[nodiscard]] std::vector<last_comparison> compare_finalists(MeasurerOf&& measurer_of, plan& found,
                                                             std::span<const index> untuned, double seconds,
                                                             const measure::limits& within, bool may_be_worse = false)
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
        tuning& record = found.tasks[k].record;
        using measurer = decltype(measurer_of(k));
        const auto lap = [&] { return detail::rounds_kept<measurer>{measurer_of(k), record}; };
        const double share = (end - now()) * rounds[k] / left;
        auto race =
            measure::race(lap, line_up(record, 2, untuned[k]), within, {.max_seconds = (std::max)(share, 1e-3)});
        out.push_back(concluded(record, std::move(race), untuned[k], may_be_worse));
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
