// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The final race: a statistical comparison of the best candidates.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/detail/evidence.hpp"
#include "tunekit/stats/quantile.hpp"

namespace tunekit::measure {

/// Settings of a race.
struct race_options {
    double confidence = 0.95;       ///< in ]0, 1[; probability that all claims of the race hold together
    double margin = 0.01;           ///< >= 0; a candidate slower by no more than this share counts as equal
    std::uint32_t max_rounds = 60;  ///< 1 to 1000; rounds after which the race ends in any case
    double max_seconds = std::numeric_limits<double>::infinity();  ///< > 0; only the first round may begin after this
    /// Positions of `measurement::values` that are goals in addition to the cost, all to be lowered: the race is for
    /// the front then (see `race`). A finalist without one of them fails.
    std::vector<std::size_t> values{};

    /// Checks the settings. Throws std::invalid_argument if a setting is out of range.
    void validate() const
    {
        require(confidence > 0 && confidence < 1, "race: confidence is out of range, want 0 < confidence < 1");
        require(margin >= 0, "race: margin is negative or NaN, want >= 0");
        require(max_rounds >= 1 && max_rounds <= 1000, "race: max_rounds is out of range, want 1 to 1000");
        for (const std::size_t k : values)
            require(k < measured_values::most, "race: values has a position that no measurement has, want at most 7");
        require(max_seconds > 0, "race: max_seconds is not positive, want > 0");
    }

    friend bool operator==(const race_options&, const race_options&) = default;
};

/// The slowdown of a finalist against the winner, as a share of the winner's time: the median over common rounds, and
/// an interval.
struct slowdown {
    double median = 0;  ///< 0.02: 2 % slower than the winner; negative: faster in most common rounds
    double low = 0;     ///< lower end of the interval; -1 if the rounds give no bound
    double high = 0;    ///< upper end of the interval; +inf if the rounds give no bound

    friend bool operator==(const slowdown&, const slowdown&) = default;
};

/// The result of one finalist.
struct standing {
    index candidate = 0;                                     ///< its index in the space
    double cost = std::numeric_limits<double>::quiet_NaN();  ///< seconds; median of its rounds; NaN without one
    std::vector<double> costs;                               ///< seconds in each round it ran
    std::vector<std::vector<double>> goals{};  ///< by position in race_options::values: the value in each round it ran
    bool tied = false;  ///< not shown to be slower than any other, or worse in all goals; true also for the winner
    slowdown against_winner{};      ///< all 0 for the winner itself and for a finalist that failed
    std::optional<failure> failed;  ///< the failure that ended its race; else empty

    friend bool operator==(const standing&, const standing&) = default;
};

/// The result of a race.
struct race_result {
    std::optional<index> winner;  ///< empty if every finalist failed, and before the first round
    double cost = std::numeric_limits<double>::quiet_NaN();  ///< seconds of the winner, from this race alone
    std::vector<index> tied;                                 ///< ascending; the winner is the first
    slowdown gap{};                   ///< of the nearest other finalist that did not fail; else all 0
    double confidence = 0;            ///< that of the options
    std::uint32_t rounds = 0;         ///< how many were run
    std::vector<standing> standings;  ///< one per finalist, in the order given
};

namespace detail {

/// log(a / b) in each round that both ran.
inline std::vector<double> log_ratios(const standing& a, const standing& b)
{
    std::vector<double> out((std::min)(a.costs.size(), b.costs.size()));
    for (std::size_t r = 0; r < out.size(); ++r) out[r] = std::log(a.costs[r] / b.costs[r]);
    return out;
}

}  // namespace detail

/// The least number of rounds after which a finalist can drop out of a race of `finalists`, however far apart they are.
/// With fewer rounds, "tied" says nothing.
///
///     measure::rounds_to_separate(2);  // 8 at a confidence of 0.95; 11 for four
///
/// The least n with (2^(n+1) - 1) / (n + 1) >= m (m - 1) / (1 - confidence): the evidence of n rounds that one finalist
/// loses. Throws std::invalid_argument for a confidence outside ]0, 1[.
[[nodiscard]] inline std::uint32_t rounds_to_separate(std::size_t finalists, double confidence = 0.95)
{
    race_options{.confidence = confidence}.validate();
    std::uint32_t n = 1;
    while (detail::evidence(n, n) < detail::wanted_evidence(finalists, confidence)) ++n;
    return n;
}

/// A race in progress, without a measurer: `lines_up` gives the next round, `finishes` takes its times, and `verdict`
/// gives the result.
class race_track {
public:
    /// Begins a race. Throws std::invalid_argument for a finalist given twice or a setting out of range.
    race_track(std::span<const index> finalists, const race_options& options) : options_(options)
    {
        options.validate();
        for (const index i : finalists) {
            for (const standing& s : out_.standings)
                require(s.candidate != i, "race: a finalist is given twice, want each once");
            left_.push_back(out_.standings.size());
            out_.standings.emplace_back().candidate = i;
            out_.standings.back().goals.resize(options.values.size());
        }
        wanted_ = detail::wanted_evidence(finalists.size(), options.confidence) *
                  static_cast<double>(1 + options.values.size());
    }

    /// Whether the race is over.
    [[nodiscard]] bool over() const noexcept
    {
        return out_.rounds == options_.max_rounds || left_.empty() || (left_.size() == 1 && out_.rounds > 0);
    }

    /// The finalists of the next round in their order. Round r begins with finalist r modulo the number left. Odd
    /// rounds run backwards. Precondition: the race is not over.
    [[nodiscard]] std::vector<index> lines_up()
    {
        order_ = left_;
        std::rotate(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(out_.rounds % order_.size()),
                    order_.end());
        if (out_.rounds % 2 == 1) std::reverse(order_.begin(), order_.end());
        std::vector<index> batch;
        for (const std::size_t k : order_) batch.push_back(out_.standings[k].candidate);
        return batch;
    }

    /// Takes the times of the round, and removes finalists that failed or are shown to be slower. Throws tunekit::error
    /// where there is not one measurement per finalist.
    void finishes(std::span<const measurement> measured)
    {
        if (measured.size() != order_.size()) throw error("race: the measurer did not answer its batch");
        ++out_.rounds;
        for (std::size_t j = 0; j < order_.size(); ++j) {
            standing& s = out_.standings[order_[j]];
            if (measured[j].ok() && measured[j].cost > 0) {
                s.costs.push_back(measured[j].cost);
                take_goals(s, measured[j]);
            } else if (measured[j].failed) {
                s.failed = measured[j].failed;
            } else {
                s.failed = failure{.kind = failure_kind::bad_cost, .message = "no whole measurement"};
            }
        }
        std::erase_if(left_, [&](std::size_t k) { return out_.standings[k].failed.has_value(); });
        std::vector<std::size_t> still;
        for (const std::size_t a : left_)
            if (std::none_of(left_.begin(), left_.end(), [&](std::size_t b) { return a != b && beaten_by(a, b); }))
                still.push_back(a);
        left_ = std::move(still);
    }

    /// The result of the rounds, also of none: that has no winner. Call it once, at the end: it moves the result out.
    [[nodiscard]] race_result verdict()
    {
        out_.confidence = options_.confidence;
        for (standing& s : out_.standings)
            if (!s.costs.empty()) s.cost = stats::median(s.costs);
        if (left_.empty() || out_.rounds == 0) return std::move(out_);
        for (const std::size_t k : left_) {
            out_.standings[k].tied = true;
            out_.tied.push_back(out_.standings[k].candidate);
        }
        std::sort(out_.tied.begin(), out_.tied.end());
        out_.winner = out_.tied.front();
        compare_with(*std::find_if(out_.standings.begin(), out_.standings.end(),
                                   [&](const standing& s) { return s.candidate == *out_.winner; }));
        return std::move(out_);
    }

private:
    void take_goals(standing& s, const measurement& m) const
    {
        for (std::size_t g = 0; g < options_.values.size(); ++g) {
            const std::size_t k = options_.values[g];
            if (k < m.values.size() && std::isfinite(m.values[k])) s.goals[g].push_back(m.values[k]);
            else s.failed = failure{.kind = failure_kind::bad_cost, .message = "a goal was not measured"};
        }
    }

    /// Whether the rounds show that b is better than a: faster, or, with several goals, better in one and not worse in
    /// the others.
    [[nodiscard]] bool beaten_by(std::size_t a, std::size_t b) const
    {
        const standing &mine = out_.standings[a], &other = out_.standings[b];
        const auto n = static_cast<std::uint32_t>((std::min)(mine.costs.size(), other.costs.size()));
        const auto shown = [&](std::uint32_t rounds) { return detail::evidence(rounds, n) >= wanted_; };
        const double equal = std::log1p(options_.margin);
        std::uint32_t slower = 0, faster = 0;
        for (const double r : detail::log_ratios(mine, other)) slower += r > equal, faster += r < -equal;
        bool better = shown(slower), no_worse = options_.values.empty() || shown(n - faster);
        for (std::size_t g = 0; g < options_.values.size() && no_worse; ++g) {
            std::uint32_t more = 0, less = 0;
            for (std::uint32_t r = 0; r < n; ++r) {
                const double x = mine.goals[g][r], y = other.goals[g][r];
                more += x - y > options_.margin * std::fabs(y);
                less += y - x > options_.margin * std::fabs(x);
            }
            better = better || shown(more);
            no_worse = shown(n - less);
        }
        return better && no_worse;
    }

    void compare_with(const standing& best)
    {
        out_.cost = best.cost;
        bool other = false;
        for (standing& s : out_.standings) {
            if (&s == &best || s.failed) continue;
            const std::vector<double> ratios = detail::log_ratios(s, best);
            s.against_winner = {.median = std::expm1(stats::median(ratios)),
                                .low = std::expm1(detail::median_at_least(ratios, wanted_)),
                                .high = std::expm1(-detail::median_at_least(detail::log_ratios(best, s), wanted_))};
            if (!other || s.against_winner.median < out_.gap.median) out_.gap = s.against_winner;
            other = true;
        }
    }

    race_options options_;
    double wanted_ = 0;  ///< the evidence at which a finalist drops out
    race_result out_{};
    std::vector<std::size_t> left_{};   ///< finalists still in the race: positions in out_.standings
    std::vector<std::size_t> order_{};  ///< those of the round in progress, in its order
};

/// Measures the finalists again, in rounds that run each of them once, until one is left or the last round is over.
///
///     const auto result = race(measure, std::vector<index>{17, 4, 230}, {.run_seconds = 1}, {.margin = 0.02});
///
/// A disturbance of the machine affects all finalists of a round alike, so only ratios within a round count. Finalist a
/// drops out as soon as the rounds in which it took more than (1 + margin) times as long as another finalist b are too
/// many for a fair coin:
///
///     evidence >= m (m - 1) / (1 - confidence),    m finalists,
///
/// where `evidence` is the test martingale that bets on every bias above 1/2 alike. Ville's inequality, over all m (m -
/// 1) ordered pairs, bounds the probability that any finalist ever drops out wrongly: it is at most 1 - confidence,
/// whenever the race stops. No number of rounds needs to be fixed before. "Wrongly" means: although, given the rounds
/// before, it was no more likely than not to take longer than (1 + margin) times b. The intervals invert the same test
/// and hold together with it.
///
/// So the confidence needs noise that is fresh in each round. What favours one finalist in every round of a process,
/// such as where its code and its data came to lie or a clock that stays low, is a truth to it: simulated with such
/// noise of 3 %, the best of five was still in the race in only 0.54 to 0.97 of the runs. A race whose rounds have
/// processes of their own draws it anew: the form below.
///
/// With `race_options::values` there are g goals, and the finalists left are the front: a drops out only if b is
/// shown to be better than a by more than the margin in one goal, and shown not to be worse by more than it in any. The
/// evidence of each is compared with g times as much as above, so the same bound holds: a wrong drop takes a wrong
/// test, of at most g for the better goal, of one where "not worse" is wrong. The margin is a share of the better value
/// in each goal.
///
/// The finalists left at the end are tied. The winner is the one with the smallest index: a fixed order, so two races
/// with the same verdicts name the same winner. Costs are medians of this race alone, so the choice of the finalists
/// does not bias them. A finalist whose measurement fails drops out. Round r begins with finalist r modulo the number
/// left. Odd rounds run backwards. limits::abandon_above is not used.
///
/// Errors:     std::invalid_argument for a finalist given twice or a setting out of range; what the measurer throws.
/// Cost:       at most max_rounds * m measurements; at least `rounds_to_separate(m)` rounds until a finalist drops out.
/// Source:     Ville (1939), Etude critique de la notion de collectif; the uniform mixture of likelihood ratios is
///             Robbins (1970), Statistical methods related to the law of the iterated logarithm, Ann. Math. Stat. 41,
///             cut to biases above 1/2.
template <measurer M>
[[nodiscard]] race_result race(M& measure, std::span<const index> finalists, limits within = {},
                               race_options options = {})
{
    return race([&measure]() -> M& { return measure; }, finalists, within, options);
}

/// The same if each round has a new measurer, which `make()` returns: new processes, with new buffers.
///
///     const auto result = race([&] { return isolated(space, timed{kernel_on(new_buffers())}); }, finalists);
///
/// `program` needs no such form: each of its measurements is a process. Cost: that of `make` in each round, too.
template <class Make>
    requires measurer<std::remove_reference_t<std::invoke_result_t<Make&>>>
[[nodiscard]] race_result race(Make&& make, std::span<const index> finalists, limits within = {},
                               race_options options = {})
{
    race_track track(finalists, options);
    within.abandon_above = within.abandon_factor = std::numeric_limits<double>::infinity();
    const wall_clock now;
    const double start = now();
    do {
        if (track.over()) break;
        const std::vector<index> batch = track.lines_up();
        auto&& measure = make();
        track.finishes(measure.measure(batch, within));
    } while (now() - start < options.max_seconds);
    return track.verdict();
}

}  // namespace tunekit::measure
