// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Comparison of strategies on recorded spaces: standings with intervals, and paired differences.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/scoring/outcome.hpp"
#include "tunekit/scoring/recording.hpp"
#include "tunekit/scoring/trajectory.hpp"
#include "tunekit/scoring/yardstick.hpp"
#include "tunekit/search/any_strategy.hpp"
#include "tunekit/stats/bootstrap.hpp"
#include "tunekit/stats/interval.hpp"

namespace tunekit::scoring {

/// A strategy and its name.
struct entrant {
    std::string name;               ///< shown in tables
    search::any_strategy strategy;  ///< what is scored
};

/// Options of `score`. An aggregate: name what you change.
struct score_options {
    std::size_t repeats = 25;       ///< with different seeds, >= 1
    std::uint64_t seed = 1;         ///< of all streams
    std::size_t batch = 1;          ///< configurations asked for at a time, >= 1
    std::size_t judged = 200;       ///< evaluations over which S and the regret are taken, >= 1
    std::size_t evaluations = 220;  ///< the fewest evaluations of a run
    double budgets = 1.1;           ///< seconds of a run, in units of those that random search needs

    static constexpr std::uint32_t stream = 0x62656e63U;  ///< which Philox streams of the seed the repeats draw from
};

/// The results of a study: outcomes, standings and differences.
struct scoreboard {
    /// A mean over spaces, its 95 % interval and the lowest of a single space.
    struct aggregate {
        double mean = 0;           ///< over spaces
        stats::interval within{};  ///< its 95 % interval
        double worst = 0;          ///< of a single space

        /// Half the width of the interval.
        [[nodiscard]] double half() const noexcept { return 0.5 * (within.high - within.low); }
    };

    /// The scores of one strategy over all spaces.
    struct standing {
        std::string strategy;          ///< its name
        std::optional<aggregate> p{};  ///< P*: over the spaces on which a score over time is meaningful; else empty
        aggregate s{};                 ///< the score by evaluations, over the spaces that are not easy
        aggregate clamped{};           ///< the same with every share at -1 at least
        double to_5 = 0;               ///< evaluations to 5 %: geometric mean over spaces of `outcome::mean_to_5`
        double regret = 0;             ///< mean over spaces; may be infinite
        double own_seconds = 0;        ///< per evaluation, mean over spaces; NaN: unknown
        std::size_t reached_5 = 0;     ///< spaces where half of the repeats came within 5 % of the optimum
        std::size_t reached_1 = 0;     ///< the same within 1 %
    };

    /// The difference between the scores of two strategies on the same spaces: positive where `strategy` is better.
    struct difference {
        std::string strategy;          ///< name of the first
        std::string than;              ///< name of the second
        std::optional<aggregate> p{};  ///< of the scores over time; else empty
        aggregate s{};                 ///< of the scores by evaluations
        aggregate clamped{};           ///< of these with every share at -1 at least
    };

    std::size_t judged = 200;               ///< evaluations behind S
    std::vector<std::string> spaces{};      ///< their names
    std::vector<bool> timed{};              ///< of each space, whether P is meaningful
    std::vector<bool> easy{};               ///< of each, whether it is left out of the means of S (`yardstick::easy`)
    std::vector<outcome> outcomes{};        ///< strategy by strategy, in the order of the spaces
    std::vector<standing> standings{};      ///< of those that have an outcome on every space
    std::vector<difference> differences{};  ///< between the first standing and each other one
    std::vector<std::string> incomplete{};  ///< strategies without an outcome on some space
};

namespace detail {

/// The mean of `scores` with an interval by bootstrap over repeats: `of(space, rows)` is the score of the repeats at
/// `rows`.
template <class Of>
[[nodiscard]] scoreboard::aggregate over_spaces(const std::vector<double>& scores, std::size_t repeats, const Of& of)
{
    auto gen = random::philox(1);
    const auto n = static_cast<double>(scores.size());
    const auto resampled = [&](std::span<const std::uint32_t> rows) {
        double sum = 0;
        for (std::size_t i = 0; i < scores.size(); ++i) sum += of(i, rows);
        return sum / n;
    };
    double sum = 0;
    for (const double x : scores) sum += x;
    std::vector<std::uint32_t> all(repeats);
    for (std::size_t r = 0; r < repeats; ++r) all[r] = static_cast<std::uint32_t>(r);
    const double shift =
        sum / n - resampled(all);  // P of all repeats is another estimate than the cheap one that is resampled
    const auto within = stats::bootstrap_interval(repeats, resampled, {.resamples = 500}, gen);
    return {sum / n, {within.low + shift, within.high + shift}, *std::min_element(scores.begin(), scores.end())};
}

[[nodiscard]] inline double mean_at(const std::vector<double>& x, std::span<const std::uint32_t> rows)
{
    double sum = 0;
    for (const std::uint32_t r : rows) sum += x[r];
    return sum / static_cast<double>(rows.size());
}

[[nodiscard]] inline std::size_t least_repeats(std::span<const outcome> all)
{
    std::size_t n = all.front().s.size();
    for (const outcome& o : all) n = (std::min)(n, o.s.size());
    return n;
}

[[nodiscard]] inline std::vector<std::size_t> timed_of(std::span<const yardstick> by)
{
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < by.size(); ++i)
        if (by[i].timed()) out.push_back(i);
    return out;
}

/// The spaces that are not easy; where all are, all.
[[nodiscard]] inline std::vector<std::size_t> telling_of(std::span<const yardstick> by)
{
    std::vector<std::size_t> out, all;
    for (std::size_t i = 0; i < by.size(); ++i) {
        all.push_back(i);
        if (!by[i].easy) out.push_back(i);
    }
    return out.empty() ? all : out;
}

/// The scores of a strategy over all spaces: `of[i]` on the space that `by[i]` measures.
///
/// The intervals are percentile bootstraps over repeats, with 500 resamples; the spaces are fixed. Those of P resample
/// `score_by_steps`, and are moved by the difference between it and P. Where spaces differ in repeats, the interval
/// uses the smallest number of repeats.
/// Errors: std::invalid_argument where both are empty or their sizes differ.
[[nodiscard]] inline scoreboard::standing standing_of(std::span<const yardstick> by, std::span<const outcome> of)
{
    require(!of.empty() && of.size() == by.size(), "standing_of: want an outcome for every space, and at least one");
    scoreboard::standing out{.strategy = of.front().strategy};
    const auto n = static_cast<double>(of.size());
    std::vector<double> p, s, clamped;
    for (const outcome& o : of) {
        out.to_5 += std::log(o.mean_to_5) / n;
        out.own_seconds += o.own_seconds / n;
        out.regret += o.regret / n;
        out.reached_5 += o.evaluations_to_5 < std::numeric_limits<double>::infinity() ? 1U : 0U;
        out.reached_1 += o.evaluations_to_1 < std::numeric_limits<double>::infinity() ? 1U : 0U;
    }
    const auto timed = detail::timed_of(by), telling = detail::telling_of(by);
    for (const std::size_t i : timed) p.push_back(of[i].p);
    for (const std::size_t i : telling) s.push_back(of[i].s_mean()), clamped.push_back(of[i].clamped_mean());
    const std::size_t repeats = detail::least_repeats(of);
    using rows = std::span<const std::uint32_t>;
    if (!timed.empty())
        out.p = detail::over_spaces(p, repeats, [&](std::size_t i, rows which) {
            return score_by_steps(by[timed[i]], of[timed[i]].ranks, which);
        });
    out.s = detail::over_spaces(s, repeats,
                                [&](std::size_t i, rows which) { return detail::mean_at(of[telling[i]].s, which); });
    out.clamped = detail::over_spaces(
        clamped, repeats, [&](std::size_t i, rows which) { return detail::mean_at(of[telling[i]].clamped, which); });
    out.to_5 = std::exp(out.to_5);
    return out;
}

/// The difference between the scores of `of` and `than`, space by space and repeat by repeat. So the effects of a space
/// and of a shared seed, which are the same for both, cancel. Intervals are as those of `standing_of`. `worst` is the
/// least favourable space.
[[nodiscard]] inline scoreboard::difference difference_of(std::span<const yardstick> by, std::span<const outcome> of,
                                                          std::span<const outcome> than)
{
    require(!of.empty() && of.size() == by.size() && than.size() == by.size(),
            "difference_of: want an outcome of both for every space, and at least one");
    scoreboard::difference out{.strategy = of.front().strategy, .than = than.front().strategy};
    const std::size_t repeats = (std::min)(detail::least_repeats(of), detail::least_repeats(than));
    std::vector<double> p, s, clamped;
    const auto timed = detail::timed_of(by), telling = detail::telling_of(by);
    for (const std::size_t i : telling) {
        s.push_back(of[i].s_mean() - than[i].s_mean());
        clamped.push_back(of[i].clamped_mean() - than[i].clamped_mean());
    }
    for (const std::size_t i : timed) p.push_back(of[i].p - than[i].p);
    using rows = std::span<const std::uint32_t>;
    if (!timed.empty())
        out.p = detail::over_spaces(p, repeats, [&](std::size_t i, rows which) {
            const std::size_t k = timed[i];
            return score_by_steps(by[k], of[k].ranks, which) - score_by_steps(by[k], than[k].ranks, which);
        });
    out.s = detail::over_spaces(s, repeats, [&](std::size_t i, rows which) {
        const std::size_t k = telling[i];
        return detail::mean_at(of[k].s, which) - detail::mean_at(than[k].s, which);
    });
    out.clamped = detail::over_spaces(clamped, repeats, [&](std::size_t i, rows which) {
        const std::size_t k = telling[i];
        return detail::mean_at(of[k].clamped, which) - detail::mean_at(than[k].clamped, which);
    });
    return out;
}

}  // namespace detail

/// The yardsticks of several spaces.
[[nodiscard]] inline std::vector<yardstick> yardsticks_of(std::span<const recording> spaces, std::size_t judged)
{
    std::vector<yardstick> out;
    for (const recording& on : spaces) out.push_back(yardstick_of(on, judged));
    return out;
}

/// Plays all repeats of one strategy on one space. Throws std::invalid_argument for a count of 0. Repeat r draws from
/// stream (seed, stream, r), so that every strategy gets the same stream.
[[nodiscard]] inline std::vector<trajectory> play_all(const search::any_strategy& strategy, const recording& on,
                                                      const yardstick& by, const score_options& how)
{
    require(how.repeats > 0 && how.batch > 0 && how.judged > 0,
            "score: repeats, batch or judged is 0, want counts of 1 or more");
    std::vector<trajectory> out;
    for (std::size_t repeat = 0; repeat < how.repeats; ++repeat) {
        auto gen = random::stream(how.seed, how.stream, repeat);
        const play_options until{
            .batch = how.batch, .evaluations = how.evaluations, .seconds = how.budgets * by.seconds};
        out.push_back(play(strategy, on, until, gen));
    }
    return out;
}

/// Makes a scoreboard from outcomes. Those of one strategy are next to each other, in the order of `spaces`.
[[nodiscard]] inline scoreboard scoreboard_of(std::span<const recording> spaces, std::span<const yardstick> by,
                                              std::vector<outcome> outcomes, std::size_t judged)
{
    scoreboard out{.judged = judged};
    for (std::size_t i = 0; i < spaces.size(); ++i) {
        out.spaces.push_back(spaces[i].name);
        out.timed.push_back(by[i].timed());
        out.easy.push_back(by[i].easy);
    }
    out.outcomes = std::move(outcomes);
    std::vector<std::span<const outcome>> whole;
    for (std::size_t i = 0, end = 0; i < out.outcomes.size(); i = end) {
        while (end < out.outcomes.size() && out.outcomes[end].strategy == out.outcomes[i].strategy) ++end;
        const auto of = std::span<const outcome>(out.outcomes).subspan(i, end - i);
        if (of.size() == spaces.size()) {
            out.standings.push_back(detail::standing_of(by, of));
            whole.push_back(of);
        } else {
            out.incomplete.push_back(of.front().strategy);
        }
    }
    for (std::size_t k = 1; k < whole.size(); ++k)
        out.differences.push_back(detail::difference_of(by, whole[k], whole[0]));
    return out;
}

/// What is said of the spaces that are left out of the means of S; empty where none is.
[[nodiscard]] inline std::string easy_text(const scoreboard& all)
{
    std::string names;
    for (std::size_t i = 0; i < all.easy.size(); ++i)
        if (all.easy[i]) names.append(names.empty() ? "" : ", ").append(all.spaces[i]);
    if (names.empty()) return names;
    const bool every = std::find(all.easy.begin(), all.easy.end(), false) == all.easy.end();
    std::string out = every ? "Every space is easy" : "Left out of the means of S";
    if (!every) out += std::to_string(all.judged);
    out += ", as random search is within 1 % of the optimum by a fifth of the evaluations: ";
    return out.append(names) += '.';
}

/// Scores strategies on spaces.
///
///     const auto scores = scoring::score({{"mine", mine{}}, {"hill-climb", search::hill_climb{}}}, spaces, {.repeats = 10});
///     scores.standings[0].s.mean;        // S200: 0 is random search, 1 the optimum at once
///     scores.differences[0].s.within;    // how much more hill-climb has than mine
///
/// In one repeat all strategies get the same random stream. A run ends after both `evaluations` evaluations and
/// `budgets` times the seconds in which random search comes 95 % of the way from the median to the optimum.
///
/// Errors:     std::invalid_argument for no entrants, no spaces, a count of 0 and what `yardstick_of` refuses;
///             tunekit::error where a strategy breaks its contract.
/// Randomness: Philox streams (seed, stream, repeat).
/// Cost:       entrants x spaces x repeats runs; P costs O(points log points) of a space's points.
/// Source:     P: Willemsen, van Nieuwpoort, van Werkhoven (2024), A Methodology for Comparing Auto-Tuning Optimization
///             Algorithms.
[[nodiscard]] inline scoreboard score(std::span<const entrant> entrants, std::span<const recording> spaces,
                                      const score_options& how = {})
{
    require(!entrants.empty() && !spaces.empty(), "score: no strategy or no space, want at least one of each");
    const auto by = yardsticks_of(spaces, how.judged);
    std::vector<outcome> outcomes;
    for (const entrant& e : entrants)
        for (std::size_t i = 0; i < spaces.size(); ++i)
            outcomes.push_back(
                outcome_of(e.name, spaces[i], by[i], play_all(e.strategy, spaces[i], by[i], how), how.judged));
    return scoreboard_of(spaces, by, std::move(outcomes), how.judged);
}

/// The same for a list in braces.
[[nodiscard]] inline scoreboard score(std::initializer_list<entrant> entrants, std::span<const recording> spaces,
                                      const score_options& how = {})
{
    return score(std::span<const entrant>(entrants.begin(), entrants.size()), spaces, how);
}

}  // namespace tunekit::scoring
