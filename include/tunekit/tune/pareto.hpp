// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The front of several goals: what no other configuration is shown to beat in all of them.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/race.hpp"
#include "tunekit/stats/interval.hpp"
#include "tunekit/stats/quantile.hpp"
#include "tunekit/tune/tuning.hpp"

namespace tunekit {

/// A configuration of a front.
struct front_member {
    index candidate = 0;          ///< its index
    std::vector<double> goals{};  ///< one per goal: what was measured, or the median of the race's rounds
    std::vector<stats::interval>
        within{};  ///< one per goal: 95 % for that median; unbounded if there were too few rounds

    friend bool operator==(const front_member&, const front_member&) = default;
};

/// The front of a run, lowest first goal first.
struct pareto {
    std::vector<front_member> members{};  ///< those that none is shown to dominate
    std::vector<front_member> dropped{};  ///< finalists of the race that one of them dominates
    std::uint32_t rounds = 0;             ///< of the race; 0: members are those of single measurements
    double confidence = 0;                ///< that no finalist was dropped wrongly
};

/// The configurations of these trials that no other dominates, by what was measured once: with its noise, so race them
/// before you trust it. b dominates a where it is lower in one goal and higher in none. Equal ones are all members.
///
/// Throws std::invalid_argument for fewer than two goals, or the same one twice.
/// Cost: O(n^2) for n whole measurements.
[[nodiscard]] pareto front_of(std::span<const measure::trial> measured, const std::vector<std::size_t>& goals);
/// The same of a record, with what was known before it.
[[nodiscard]] pareto front_of(const tuning& record, const std::vector<std::size_t>& goals);

/// The candidates for a race for the front: those of `front_of`, and those that it misses by at most `slack` of every
/// goal, as noise may have put them there; the nearest `most` of all, the front first. Throws what `front_of` does.
[[nodiscard]] std::vector<index> front_finalists(const tuning& record, const std::vector<std::size_t>& goals,
                                                 std::size_t most = 16, double slack = 0.05);

/// The front that a race over `goals` shows. The first goal is the cost.
[[nodiscard]] pareto front_of(const measure::race_result& race);

/// Measures the finalists afresh in rounds, and returns the front that these show: a configuration is dominated only
/// where the paired rounds say so (`measure::race`, with `race_options::values`). `goals` begins with 0, the cost.
///
///     const auto found = tk::tune(space, measurer, strategy, {.trials = 200}, gen);
///     const auto front = race_front(measurer, front_finalists(found, {0, 1}), {0, 1}, {.run_seconds = 10});
///
/// Errors: std::invalid_argument if `goals` does not begin with the cost; those of `measure::race`.
/// Cost:   that of the race.
template <measure::measurer M>
[[nodiscard]] pareto race_front(M& measure, std::span<const index> finalists, const std::vector<std::size_t>& goals,
                                const measure::limits& within, measure::race_options how = {})
{
    require(goals.size() >= 2 && goals.front() == 0,
            "race_front: want goals that begin with 0, the cost, and one more");
    how.values.clear();
    for (std::size_t g = 1; g < goals.size(); ++g) how.values.push_back(goals[g] - 1);
    return front_of(measure::race(measure, finalists, within, how));
}

/// The hypervolume that `points` dominate below `reference`: the measure of all x <= reference that are no better in
/// any goal than some point. One row of goals each. Points that do not lie below the reference in every goal add
/// nothing.
/// Cost: O(n log n) for two goals; O(n^(g - 1) log n) for g.
[[nodiscard]] double hypervolume(std::vector<std::vector<double>> points, std::span<const double> reference);

}  // namespace tunekit

#if TUNEKIT_BODIES
namespace tunekit {

namespace detail {

TUNEKIT_INLINE void check_goals(const std::vector<std::size_t>& goals)
{
    require(goals.size() >= 2, "front_of: fewer than two goals, want the cost, 0, and a value, k + 1");
    for (std::size_t a = 0; a < goals.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
            require(goals[a] != goals[b], "front_of: a goal is given twice, want each once");
}

/// The whole measurements with all of `goals`.
TUNEKIT_INLINE std::vector<front_member> measured_goals(std::span<const measure::trial> measured,
                                                        const std::vector<std::size_t>& goals)
{
    check_goals(goals);
    std::vector<front_member> out;
    for (const measure::trial& t : measured) {
        if (!t.measured.ok()) continue;
        front_member one{.candidate = t.candidate};
        for (const std::size_t k : goals) {
            const auto& v = t.measured.values;
            one.goals.push_back(k == 0          ? t.measured.cost
                                : k <= v.size() ? v[k - 1]
                                                : std::numeric_limits<double>::quiet_NaN());
        }
        one.within.resize(goals.size());
        if (std::all_of(one.goals.begin(), one.goals.end(), [](double x) { return std::isfinite(x); }))
            out.push_back(std::move(one));
    }
    return out;
}

/// What was known before a run, and its trials.
TUNEKIT_INLINE std::vector<measure::trial> known_and_tried(const tuning& record)
{
    std::vector<measure::trial> out = record.known();
    out.insert(out.end(), record.trials().begin(), record.trials().end());
    return out;
}

/// By how much, as a share of its goals, `a` would have to be better to be dominated by `b` no more: the least over the
/// goals. Below 0: it is not dominated.
TUNEKIT_INLINE double missed_by(const front_member& a, const front_member& b)
{
    double least = std::numeric_limits<double>::infinity();
    bool differs = false;
    for (std::size_t g = 0; g < a.goals.size(); ++g) {
        const double x = a.goals[g], y = b.goals[g];
        if (x < y) return -1;
        differs = differs || x > y;
        least = (std::min)(least, x > y ? (x - y) / std::fabs(x) : 0);
    }
    return differs ? least : -1;
}

TUNEKIT_INLINE void sort_front(std::vector<front_member>& all)
{
    std::stable_sort(all.begin(), all.end(),
                     [](const front_member& a, const front_member& b) { return a.goals < b.goals; });
}

}  // namespace detail

TUNEKIT_INLINE pareto front_of(const tuning& record, const std::vector<std::size_t>& goals)
{
    return front_of(detail::known_and_tried(record), goals);
}

TUNEKIT_INLINE pareto front_of(std::span<const measure::trial> measured, const std::vector<std::size_t>& goals)
{
    const std::vector<front_member> all = detail::measured_goals(measured, goals);
    pareto out;
    for (const front_member& a : all)
        if (std::none_of(all.begin(), all.end(), [&](const front_member& b) { return detail::missed_by(a, b) >= 0; }))
            out.members.push_back(a);
    detail::sort_front(out.members);
    return out;
}

TUNEKIT_INLINE std::vector<index> front_finalists(const tuning& record, const std::vector<std::size_t>& goals,
                                                  std::size_t most, double slack)
{
    const std::vector<front_member> all = detail::measured_goals(detail::known_and_tried(record), goals);
    std::vector<std::pair<double, index>> near_front;
    for (const front_member& a : all) {
        double missed = -1;
        for (const front_member& b : all) missed = (std::max)(missed, detail::missed_by(a, b));
        if (missed <= slack) near_front.emplace_back(missed, a.candidate);
    }
    std::stable_sort(near_front.begin(), near_front.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<index> out;
    for (const auto& [missed, candidate] : near_front)
        if (out.size() < most && std::find(out.begin(), out.end(), candidate) == out.end()) out.push_back(candidate);
    return out;
}

TUNEKIT_INLINE pareto front_of(const measure::race_result& race)
{
    pareto out{.rounds = race.rounds, .confidence = race.confidence};
    for (const measure::standing& s : race.standings) {
        if (s.failed || s.costs.empty()) continue;
        front_member one{.candidate = s.candidate};
        const auto add = [&](const std::vector<double>& rounds) {
            one.goals.push_back(stats::median(rounds));
            const auto found = stats::order_interval(rounds);
            one.within.push_back(found.coverage >= 0.95 ? found.within : stats::interval{});
        };
        add(s.costs);
        for (const std::vector<double>& rounds : s.goals) add(rounds);
        (s.tied ? out.members : out.dropped).push_back(std::move(one));
    }
    detail::sort_front(out.members);
    detail::sort_front(out.dropped);
    return out;
}

TUNEKIT_INLINE double hypervolume(std::vector<std::vector<double>> points, std::span<const double> reference)
{
    const std::size_t g = reference.size();
    std::erase_if(points, [&](const std::vector<double>& p) {
        if (p.size() != g) return true;
        for (std::size_t j = 0; j < g; ++j)
            if (!(p[j] < reference[j])) return true;
        return false;
    });
    if (g == 0 || points.empty()) return 0;
    const auto last = [g](const std::vector<double>& p) { return p[g - 1]; };
    std::sort(points.begin(), points.end(), [&](const auto& a, const auto& b) { return last(a) < last(b); });
    if (g == 1) return reference[0] - points.front()[0];
    if (g == 2) {  // a staircase: as the second goal rises, only a lower first one adds
        double sum = 0, best = reference[0];
        for (std::size_t k = 0; k < points.size(); ++k) {
            best = (std::min)(best, points[k][0]);
            sum += (reference[0] - best) * ((k + 1 < points.size() ? points[k + 1][1] : reference[1]) - points[k][1]);
        }
        return sum;
    }
    double sum = 0;
    std::vector<std::vector<double>> below;  // the slices between one value of the last goal and the next
    for (std::size_t k = 0; k < points.size(); ++k) {
        below.emplace_back(points[k].begin(), points[k].end() - 1);
        const double height = (k + 1 < points.size() ? last(points[k + 1]) : reference[g - 1]) - last(points[k]);
        if (height > 0) sum += height * hypervolume(below, reference.first(g - 1));
    }
    return sum;
}

}  // namespace tunekit
#endif  // TUNEKIT_BODIES
