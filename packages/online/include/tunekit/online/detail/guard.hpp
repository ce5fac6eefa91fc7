// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A context once settled: which of its calls are timed, and whether what they say is a reason to tune again.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "tunekit/online/detail/drift.hpp"
#include "tunekit/online/detail/overtaken.hpp"
#include "tunekit/online/options.hpp"
#include "tunekit/online/outcome.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::online::detail {

/// Guards a winner. Nothing here reads a clock. A regular value.
///
/// The winner is timed once in `options::watch` calls, for `drift`. Once its times have risen, pairs of runs follow at
/// once: of the winner and the runner-up, and of the winner and the default. With y the logarithm of the winner's time
/// over the other's, less what that was before, the hypotheses are that y has mean 0 (everything became slower, so the
/// winner stays) or the rise (the winner did); a sequential probability ratio test takes the one or the other with an
/// error of about 1 %. These pairs end where they cost `most_spent` calls of the winner, or after `most_pairs`; then
/// the likelier one is taken. The next such pairs may follow only after a thousand times that cost.
///
/// For the share `options::recheck` of the time there are pairs with both in turn besides, so that a configuration that
/// became faster, by 2 % or more, is found, too (see `overtaken`).
/// Source: Wald (1945), Sequential tests of statistical hypotheses, Ann. Math. Stat. 16.
class guard {
public:
    static constexpr std::uint64_t never = std::uint64_t{1} << 62;

    guard(const outcome& what, index untuned, const options& o) noexcept : what_(what), watched_(what.cost)
    {
        rivals_[0] = {.candidate = untuned, .ratio = std::log(what.cost / what.default_cost)};
        rivals_[1] = {.candidate = what.runner_up, .ratio = std::log(what.cost / what.runner_up_cost)};
        if (what.runner_up == untuned) rivals_[1].candidate = what.winner;
        plan(o);
    }

    [[nodiscard]] const outcome& what() const noexcept { return what_; }
    /// The number of times that the winner's times rose.
    [[nodiscard]] std::uint32_t alarms() const noexcept { return alarms_; }
    /// Whether the next call belongs to a pair.
    [[nodiscard]] bool in_pairs() const noexcept { return half_ || examining_; }
    /// The calls until the next one that is timed.
    [[nodiscard]] std::uint64_t quiet(const options& o) const noexcept
    {
        if (in_pairs()) return 1;
        const std::uint64_t look = look_after_ > since_look_ ? look_after_ - since_look_ : 1;
        return (std::min)(o.watch > 0 ? std::uint64_t{o.watch} : never, look);
    }
    /// Lets the next pair begin after that many calls, for a winner that was found elsewhere.
    void look_within(std::uint64_t calls) noexcept { look_after_ = (std::min)(look_after_, calls); }

    /// The configuration of the next call, which is timed; `passed` calls came since the last one.
    [[nodiscard]] index next(std::uint64_t passed) noexcept
    {
        since_look_ += passed;
        since_examined_ += passed;
        if (!half_ && !examining_ && watched_.alarm() && since_examined_ >= examine_after_) examine();
        const bool pair = examining_ || since_look_ >= look_after_;
        if (!half_ && pair && !choose_rival()) {
            examining_ = false;
            since_look_ = 0;
            look_after_ = never;
        }
        timing_winner_ = (!examining_ && since_look_ < look_after_) || half_.has_value() != winner_first_;
        return timing_winner_ ? what_.winner : rivals_[rival_].candidate;
    }

    /// Takes the seconds of that call. Returns the configuration from which to tune again, where there is a reason to.
    [[nodiscard]] std::optional<index> told(double seconds, const options& o)
    {
        if (timing_winner_) watched_.add(seconds);
        if (!examining_ && since_look_ < look_after_) return std::nullopt;
        if (!half_) {
            half_ = seconds;
            return std::nullopt;
        }
        const double mine = timing_winner_ ? seconds : *half_, theirs = timing_winner_ ? *half_ : seconds;
        half_.reset();
        winner_first_ = !winner_first_;
        rival& r = rivals_[rival_];
        r.faster.add(theirs * margin < mine);
        if (r.faster.alarm()) return r.candidate;
        const double y = std::log(mine / theirs);
        if (!examining_) {
            ++r.seen;
            r.ratio += (y - r.ratio) / static_cast<double>((std::min)(r.seen, most_seen));
            if (r.at_once > 0 && --r.at_once == 0) what_.runner_up_cost = scaled(what_.cost, std::exp(-r.ratio));
            plan(o);
            return std::nullopt;
        }
        ++r.pairs;
        r.sum += y;
        r.spent += (std::max)(0.0, theirs / mine - 1) + 2 * o.call_seconds / mine;
        const double variance = 2 * watched_.variance();
        r.evidence += std::clamp(rise_ / variance * (y - r.ratio - rise_ / 2), -one_pair, one_pair);
        return examined(o);
    }

    /// Compares the winner with another runner-up from now on, at first in some pairs at once: of many that were tried
    /// a few times each, the best was lucky. Precondition: not in pairs.
    void compare_with(index runner_up, double cost) noexcept
    {
        what_.runner_up = runner_up;
        what_.runner_up_cost = cost;
        rivals_[1] = {.candidate = runner_up, .ratio = std::log(what_.cost / cost), .seen = 0, .at_once = first_pairs};
        since_look_ = 0;
        look_after_ = 1;
    }

    /// Says that the time of that call will not come.
    void forget(const options& o) noexcept
    {
        half_.reset();
        if (!examining_) plan(o);
    }

    friend bool operator==(const guard&, const guard&) = default;

private:
    static constexpr double sure = 4.5, one_pair = 1.5;  ///< log 90, and what one pair adds to it at most
    static constexpr double most_spent = 64;
    static constexpr double margin = 1.02;  ///< what is faster by less is as fast
    static constexpr std::uint32_t most_pairs = 40, most_seen = 64, first_pairs = 16;
    static constexpr std::uint64_t least_look = 100;  ///< calls between two checks

    /// A configuration that the winner is compared with: the default, or the runner-up.
    struct rival {
        index candidate = 0;
        double ratio = 0;           ///< the usual logarithm of the winner's time over its own
        std::uint32_t seen = 4;     ///< the pairs behind that; those of the race count as 4
        std::uint32_t at_once = 0;  ///< the pairs that follow at once
        overtaken faster{};
        double evidence = 0;      ///< for the winner's own rise, in the pairs under way
        double sum = 0;           ///< of y
        double spent = 0;         ///< in calls of the winner, by the pairs under way
        std::uint32_t pairs = 0;  ///< in the pairs under way

        friend bool operator==(const rival&, const rival&) = default;
    };

    /// A cost times a factor, within what a double holds.
    [[nodiscard]] static double scaled(double cost, double factor) noexcept
    {
        using range = std::numeric_limits<double>;
        return std::isfinite(cost) ? std::clamp(cost * factor, range::denorm_min(), (range::max)()) : cost;
    }

    [[nodiscard]] bool usable(const rival& r) const noexcept
    {
        return r.candidate != what_.winner && std::isfinite(r.ratio);
    }
    [[nodiscard]] bool open(const rival& r) const noexcept
    {
        return usable(r) && std::abs(r.evidence) < sure && r.pairs < most_pairs;
    }

    /// Turns to the other one, where it may run, and in a test where it has not cost more: a default that is ten times
    /// as slow would take up all that may be spent. False where neither may.
    bool choose_rival() noexcept
    {
        const rival &one = rivals_[rival_], &other = rivals_[1 - rival_];
        const auto may = [&](const rival& r) { return examining_ ? open(r) : usable(r); };
        if (!examining_ && rivals_[1].at_once > 0 && may(rivals_[1])) return rival_ = 1, true;
        if (may(other) && !(examining_ && may(one) && other.spent > one.spent)) rival_ = 1 - rival_;
        return may(rivals_[rival_]);
    }

    void examine() noexcept
    {
        examining_ = true;
        ++alarms_;
        rise_ = watched_.rise();
        for (rival& r : rivals_) {
            r.evidence = r.sum = r.spent = 0;
            r.pairs = 0;
        }
        if (!usable(rivals_[0]) && !usable(rivals_[1])) accept();
    }

    /// Takes the rise for one of everything.
    void accept() noexcept
    {
        examining_ = false;
        watched_.accept();
        for (double* const cost : {&what_.cost, &what_.runner_up_cost, &what_.default_cost})
            *cost = scaled(*cost, std::exp(rise_));
    }

    /// Whether the pairs have told whose rise it is, and what follows.
    std::optional<index> examined(const options& o) noexcept
    {
        const double spent = rivals_[0].spent + rivals_[1].spent;
        const auto sure_of_rise = [](const rival& r) { return r.evidence >= sure; };
        bool own = std::any_of(rivals_.begin(), rivals_.end(), sure_of_rise);
        if (!own && spent < most_spent && std::any_of(rivals_.begin(), rivals_.end(), [&](auto& r) { return open(r); }))
            return std::nullopt;
        for (const rival& r : rivals_) own = own || (usable(r) && r.evidence > 0);
        examining_ = false;
        since_examined_ = 0;
        examine_after_ = static_cast<std::uint64_t>(1000 * spent);
        if (own) return fastest();
        accept();
        plan(o);
        return std::nullopt;
    }

    /// The fastest by the pairs under way.
    [[nodiscard]] index fastest() const noexcept
    {
        index best = what_.winner;
        double lead = 0;
        for (const rival& r : rivals_)
            if (r.pairs > 0 && r.sum / r.pairs > lead) {
                lead = r.sum / r.pairs;
                best = r.candidate;
            }
        return best;
    }

    /// Sets the calls until the next check. It costs two timed calls, one of them with a configuration that lost.
    void plan(const options& o) noexcept
    {
        const rival& r = rivals_[usable(rivals_[1 - rival_]) ? 1 - rival_ : rival_];
        const double slower = (std::max)(0.0, what_.cost * std::expm1(-r.ratio));
        const double n = (slower + 2 * o.call_seconds) / (o.recheck * what_.cost);
        since_look_ = 0;
        look_after_ = usable(rivals_[1]) && rivals_[1].at_once > 0 ? 1
                      : !usable(r) || !(n < 4e18)                  ? never
                                                  : (std::max)(least_look, static_cast<std::uint64_t>(n));
    }

    outcome what_;
    drift watched_;
    std::array<rival, 2> rivals_{};
    std::optional<double> half_{};  ///< the first time of the pair under way
    std::uint64_t since_look_ = 0, look_after_ = never;
    std::uint64_t since_examined_ = 0, examine_after_ = 0;
    double rise_ = 0;  ///< of the pairs under way
    std::size_t rival_ = 0;
    std::uint32_t alarms_ = 0;
    bool examining_ = false, winner_first_ = true, timing_winner_ = true;
};

}  // namespace tunekit::online::detail
