// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A context while it is tuned: what the next call runs, and what a time changes.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/race.hpp"
#include "tunekit/online/detail/account.hpp"
#include "tunekit/online/detail/contender.hpp"
#include "tunekit/online/detail/runoff.hpp"
#include "tunekit/online/detail/shortlist.hpp"
#include "tunekit/online/options.hpp"
#include "tunekit/online/outcome.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/search/concepts.hpp"

namespace tunekit::online {

namespace detail {

/// The search of one context. `next` says which configuration the next timed call runs, and how many calls pass before
/// it. `told` takes the time of that call. Nothing here reads a clock. Copyable.
///
/// The default is timed first. Then come candidates: each runs once and, unless that was clearly slower, `runs` times.
/// In between, the best configuration is used. It is timed once before each candidate. After `eager` candidates without
/// a better one the best few race against the default: from then on it has `decided`, and its verdict may be used. It
/// goes on with a falling share of the time, and a candidate that seems better than the winner races against it. It is
/// `over` after `patience` candidates without a better one, or where nothing is left.
template <class Space, class Strategy>
class open_run {
public:
    /// `best` is where the search begins: the default, or the best configuration that is known.
    open_run(const Space& space, const Strategy& strategy, const options& o, index untuned, index best,
             random::philox gen)
        : untuned_{.candidate = untuned},
          best_{.candidate = best},
          books_{.regret = o.regret, .reinvest = o.reinvest},
          gen_(gen),
          state_(strategy.start(space)),
          best_few_(untuned),
          slowest_{o.near_slowdown, o.far_slowdown}
    {
    }

    /// Goes on where another run stopped. Its times of the default and of the best count as one each.
    open_run(const Space& space, const Strategy& strategy, const options& o, index untuned, progress known,
             random::philox gen)
        : open_run(space, strategy, o, untuned, known.what.winner, gen)
    {
        untuned_.times.add(known.what.default_cost);
        best_.times.add(known.what.cost);
        known_cost_ = known.what.cost;
        first_calls_ = resumed_calls;
        if (known.settled) verdict_ = known.what;
        if (!known.search) return;
        books_ = known.search->books;
        books_.regret = o.regret;
        books_.reinvest = o.reinvest;
        for (const int k : {0, 1}) slowest_[k] = (std::max)(slowest_[k], known.search->slowest[k]);
        stale_ = known.search->in_vain;
        answers_ = std::move(known.search->answers);
        trials_ = answers_.size();
    }

    /// What the next timed call runs, and the number of untimed calls of the best configuration before it.
    struct turn {
        index candidate = 0;
        std::uint64_t untimed = 0;
    };

    /// The next turn. `probe(index)` measures a candidate elsewhere, or returns nothing. Precondition: the run is not
    /// over. It may be over afterwards.
    template <class Probe>
    [[nodiscard]] turn next(const Space& space, const Strategy& strategy, const options& o, const Probe& probe)
    {
        if (!decided()) {
            if (untuned_.times.seen() < first_calls_) return turn_of(role::untuned, untuned_.candidate);
            if (best_.candidate != untuned_.candidate && best_.times.seen() < first_calls_)
                return turn_of(role::best, best_.candidate);
        }
        while (is<untaught>() || is<between>()) {
            if (!refreshed_) return turn_of(role::best, best_.candidate);
            if (is<untaught>()) teach_first(space, strategy);
            if (!decided() && stale_ >= (std::min)(o.eager, o.patience)) begin_race(o, false);
            else if (stops(o) || !propose(space, strategy, probe)) begin_race(o, true);
        }
        if (over()) return turn_of(role::best, best_.candidate);
        const trial* const tried = std::get_if<trial>(&doing_);
        const index i = tried != nullptr ? tried->of.candidate : std::get<race>(doing_).run.racer();
        const double slower = tried != nullptr ? expected_loss(*tried) : (std::max)(0.0, cost_of(i) - best_cost());
        if (const std::uint64_t n = calls_until(slower + o.call_seconds, o)) return wait(n);
        return turn_of(role::under_way, i);
    }

    /// Adds `n` calls of the best configuration that were not timed.
    void pass(std::uint64_t n)
    {
        if (untuned_.times.seen() > 0) books_.pass(static_cast<double>(n), untuned_.times.median(), best_cost());
    }

    /// Takes the seconds of the call that `next` asked for. A value that is not positive and finite means that the call
    /// failed.
    void told(const Space& space, const Strategy& strategy, const options& o, double seconds)
    {
        const bool good = std::isfinite(seconds) && seconds > 0;
        const role what = std::exchange(role_, role::none);
        if (!good && (what == role::untuned || what == role::best)) {
            ++strikes_;
            return;
        }
        books_.lost += o.call_seconds;
        switch (what) {
            case role::none:
                return;
            case role::untuned:
                untuned_.times.add(seconds);
                if (best_.candidate == untuned_.candidate) best_.times.add(seconds);
                return pass(1);
            case role::best:
                best_.times.add(seconds);
                if (best_.candidate == untuned_.candidate) untuned_.times.add(seconds);
                refreshed_ = true;
                pass(1);
                return decided() ? void() : distrust();
            case role::under_way:
                pass(1);
                if (good) books_.lost += loss_of(seconds);
                return is<trial>() ? tries(space, strategy, o, seconds, good) : races(seconds, good);
        }
    }

    /// Says that the time of the call that `next` asked for will not come.
    void forget(const Space& space, const Strategy& strategy, const options& o)
    {
        if (role_ == role::under_way && is<trial>()) told(space, strategy, o, std::numeric_limits<double>::infinity());
        role_ = role::none;
    }

    /// Ends the run without a race. The default stays.
    void give_up()
    {
        verdict_ = outcome{.winner = untuned_.candidate, .runner_up = untuned_.candidate};
        doing_ = nothing{};
    }

    /// Whether there is a verdict.
    [[nodiscard]] bool decided() const noexcept { return verdict_.has_value(); }
    /// Whether nothing is left to try.
    [[nodiscard]] bool over() const noexcept { return is<nothing>(); }
    [[nodiscard]] const outcome& verdict() const { return *verdict_; }
    /// What another process needs to go on; `untimed` calls came since the last turn. Precondition: the default was
    /// timed.
    [[nodiscard]] progress so_far(std::uint64_t untimed) const
    {
        progress p{.what = decided() ? *verdict_ : provisional(), .settled = decided()};
        if (over()) return p;
        p.search = unfinished{.in_vain = stale_, .books = books_, .answers = answers_};
        p.search->books.pass(static_cast<double>(untimed), default_cost(), best_cost());
        std::copy(slowest_, slowest_ + 2, p.search->slowest);
        return p;
    }
    [[nodiscard]] index best() const noexcept { return best_.candidate; }
    [[nodiscard]] bool racing() const noexcept { return is<race>(); }
    [[nodiscard]] bool opening() const noexcept { return trials_ == 0 && !racing(); }
    [[nodiscard]] std::uint64_t trials() const noexcept { return trials_; }
    [[nodiscard]] std::uint32_t strikes() const noexcept { return strikes_; }
    [[nodiscard]] const account& books() const noexcept { return books_; }
    [[nodiscard]] double default_cost() const
    {
        return untuned_.times.seen() > 0 ? untuned_.times.median() : std::numeric_limits<double>::quiet_NaN();
    }
    /// The seconds of the best configuration; those of the default before it ran.
    [[nodiscard]] double best_cost() const { return best_.times.seen() > 0 ? best_.times.median() : default_cost(); }

private:
    /// Calls of the default before its time counts as known, and those where an earlier process timed it.
    static constexpr std::uint64_t first_calls = 5, resumed_calls = 3;

    /// What the next call is timed as.
    enum class role : std::uint8_t { none, untuned, best, under_way };

    struct untaught {};  ///< the strategy does not know yet what is known
    struct between {};   ///< no candidate runs
    struct trial {
        contender of;
        bool distant;  ///< whether it is more than one step of one parameter away from the best
    };
    struct race {
        runoff run;
        bool last;  ///< whether it ends the search
    };
    struct nothing {};  ///< the run is over

    template <class State>
    [[nodiscard]] bool is() const noexcept
    {
        return std::holds_alternative<State>(doing_);
    }

    [[nodiscard]] turn turn_of(role r, index i) noexcept
    {
        role_ = r;
        return {.candidate = i};
    }

    /// The number of calls of the best configuration until `loss` and one timed call can be paid; 0: now.
    [[nodiscard]] std::uint64_t calls_until(double loss, const options& o) const
    {
        if (books_.affords(loss, share(o))) return 0;
        return books_.calls_until(loss + o.call_seconds, default_cost(), best_cost(), share(o));
    }

    /// A turn of n calls of the best configuration. The last of them is timed.
    [[nodiscard]] turn wait(std::uint64_t n) noexcept
    {
        refreshed_ = false;
        role_ = role::best;
        return {.candidate = best_.candidate, .untimed = n - 1};
    }

    /// The share of the time spent that may be lost; empty: the whole account, as long as nothing is decided. It falls
    /// with the root of the number of candidates without a better one, so that a longer run tries more of them and
    /// loses a smaller part of its time to them.
    [[nodiscard]] std::optional<double> share(const options& o) const noexcept
    {
        if (racing() || !decided() || stale_ < o.eager) return std::nullopt;
        return o.regret * std::sqrt(static_cast<double>(o.eager + 1) / static_cast<double>(stale_ + 1));
    }

    /// The seconds that a call of the candidate is expected to lose. One that never ran may be as slow as the slowest
    /// so far at the same distance.
    [[nodiscard]] double expected_loss(const trial& t) const
    {
        const double slower = t.of.times.seen() > 0 ? t.of.times.median() / best_cost() : slowest_[t.distant];
        return (std::max)(0.0, slower - 1) * best_cost();
    }

    /// Whether the configuration is more than one step of one parameter away from the best one.
    [[nodiscard]] bool is_far(const Space& space, index i) const
    {
        const std::size_t d = space.dimensions();
        std::vector<std::uint16_t> rows(2 * d);
        const index both[2] = {best_.candidate, i};
        space.ordinals(both, rows);
        int steps = 0;
        for (std::size_t j = 0; j < d; ++j) steps += std::abs(int{rows[j]} - int{rows[d + j]});
        return steps > 1;
    }

    [[nodiscard]] bool stops(const options& o) const noexcept
    {
        return trials_ >= o.max_trials || stale_ >= o.patience || books_.lost >= o.max_seconds;
    }

    /// Tells the strategy what is known before the search: what an earlier process tried, in seconds of today, the
    /// default, and the best configuration.
    void teach_first(const Space& space, const Strategy& strategy)
    {
        const double today = known_cost_ > 0 ? best_cost() / known_cost_ : 1;
        for (answer& a : answers_) {
            a.cost *= today;
            observe(space, strategy, a.candidate, measured(a.cost));
            best_few_.learn({a.cost, a.candidate});
        }
        observe(space, strategy, untuned_.candidate, measured(default_cost()));
        if (best_.candidate != untuned_.candidate) observe(space, strategy, best_.candidate, measured(best_cost()));
        doing_ = between{};
    }

    [[nodiscard]] static measure::measurement measured(double cost)
    {
        measure::measurement m{.cost = cost, .runs = 1};
        if (!std::isfinite(cost))
            m.failed = measure::failure{.kind = measure::failure_kind::bad_cost, .message = "the call gave no time"};
        return m;
    }

    /// The best so far.
    [[nodiscard]] outcome provisional() const
    {
        outcome out{.winner = best_.candidate, .cost = best_cost(), .default_cost = default_cost()};
        return with_runner_up(out, best_few_.other_than(out.winner));
    }

    /// The outcome with this runner-up; with the default if that did not run.
    [[nodiscard]] outcome with_runner_up(outcome out, found second) const
    {
        const bool ran = second.cost < infinite;
        out.runner_up = ran ? second.candidate : untuned_.candidate;
        out.runner_up_cost = ran ? second.cost : out.default_cost;
        return out;
    }

    /// What was found since the verdict takes the runner-up's place, where it is faster by more than the luck of
    /// `runs`.
    void renew_runner_up(found f, std::uint64_t runs)
    {
        if (!decided() || f.candidate == verdict_->winner || f.candidate == untuned_.candidate) return;
        const double luck = 2 * best_.times.spread() / std::sqrt(static_cast<double>(runs));
        if (f.cost * (1 + luck) < verdict_->runner_up_cost) verdict_ = with_runner_up(*verdict_, f);
    }

    void observe(const Space& space, const Strategy& strategy, index i, const measure::measurement& m)
    {
        strategy.observe(state_, space, std::span<const index>(&i, 1), std::span<const measure::measurement>(&m, 1),
                         gen_);
    }

    /// Asks for a candidate. False where the strategy proposes nothing.
    template <class Probe>
    [[nodiscard]] bool propose(const Space& space, const Strategy& strategy, const Probe& probe)
    {
        const std::vector<index> one = strategy.propose(state_, space, 1, gen_);
        if (one.size() != 1 || one.front() >= space.size()) return false;
        ++trials_;
        ++stale_;
        if (const std::optional<measure::measurement> known = probe(one.front())) {
            books_.lost += known->run_seconds;
            if (known->failed || known->cost > best_cost()) {
                observe(space, strategy, one.front(), *known);
                answers_.push_back({one.front(), known->failed ? infinite : known->cost});
                return true;
            }
        }
        doing_ = trial{{.candidate = one.front()}, is_far(space, one.front())};
        return true;
    }

    void tries(const Space& space, const Strategy& strategy, const options& o, double seconds, bool good)
    {
        auto& [c, distant] = std::get<trial>(doing_);
        if (good) {
            c.times.add(seconds);
            slowest_[distant] = (std::max)(slowest_[distant], 1 + loss_of(seconds) / best_cost());
            slowest_[1] = (std::max)(slowest_[0], slowest_[1]);
        }
        const std::uint64_t runs = c.times.seen(), wanted = best_.calls_of_others(o.runs);
        const bool lost = !good || best_.beats(c.times, best_cost());
        if (runs < wanted && !lost) return;
        measure::measurement m = measured(good ? c.times.median() : infinite);
        m.runs = static_cast<std::uint32_t>((std::max)(runs, std::uint64_t{1}));
        observe(space, strategy, c.candidate, m);
        answers_.push_back({c.candidate, m.cost});
        best_few_.learn({m.cost, c.candidate});
        if (!lost) best_few_.keep({m.cost, c.candidate}, o.finalists);
        if (good) renew_runner_up({m.cost, c.candidate}, runs);
        refreshed_ = false;
        const bool better = !lost && m.cost < best_cost() && runs >= wanted;
        if (better && decided()) {
            doing_ = race{runoff({best_.candidate, c.candidate}), false};
            return;
        }
        if (better) {
            best_ = c;
            stale_ = 0;
        }
        doing_ = between{};
    }

    /// What a call lost. Of one that took more than a hundred times as long the rest is not paid for: most of those
    /// were disturbed, and the search would stop for a hundred thousand calls.
    [[nodiscard]] double loss_of(double seconds) const
    {
        return std::clamp(seconds - best_cost(), 0.0, most_paid * best_cost());
    }

    /// Goes back to the default where the best configuration is no better after all, because only a few lucky runs made
    /// it so.
    void distrust()
    {
        if (best_.candidate == untuned_.candidate || best_.times.seen() < first_calls_) return;
        best_few_.correct(best_.candidate, best_cost());
        if (best_cost() > default_cost()) best_ = untuned_;
    }

    /// Begins a race: the one that decides, or one of the winner against the best of the others. `last`: the search
    /// ends with it, or now where there is nobody to race.
    void begin_race(const options& o, bool last)
    {
        std::vector<index> all{decided() ? best_.candidate : untuned_.candidate};
        if (best_.candidate != all.front()) all.push_back(best_.candidate);
        best_few_.line_up(all, best_cost(), o.finalists + 1);
        if (!decided()) {
            const found second = best_few_.other_than(best_.candidate);
            if (all.size() <= 2 && second.cost < infinite &&  // so that the runner-up's time is known as well as others
                std::find(all.begin(), all.end(), second.candidate) == all.end())
                all.push_back(second.candidate);
            if (all.size() == 1) verdict_ = provisional();
        }
        if (all.size() > 1) doing_ = race{runoff(all), last};
        else if (last) doing_ = nothing{};
    }

    void races(double seconds, bool good)
    {
        auto& [run, last] = std::get<race>(doing_);
        const std::optional<measure::race_result> r = run.told(seconds, good);
        if (!r) return;
        settle(*r);
        if (last) doing_ = nothing{};
        else doing_ = between{};
    }

    /// Settles on the fastest that was not shown to be slower; on the default unless it was shown to be.
    void settle(const measure::race_result& r)
    {
        const measure::standing& first = r.standings.front();
        const bool challenged = decided();
        const measure::standing* winner = nullptr;
        for (const measure::standing& s : r.standings)
            if (s.tied && (winner == nullptr || s.cost < winner->cost)) winner = &s;
        const bool is_default = first.candidate == untuned_.candidate;
        if (winner == nullptr || (is_default && first.tied && !first.failed)) winner = &first;
        found second;
        for (const measure::standing& s : r.standings) {
            if (s.failed) continue;
            best_few_.learn({s.cost, s.candidate});
            if (&s != winner && s.candidate != untuned_.candidate && s.cost < second.cost)
                second = {s.cost, s.candidate};
        }
        if (challenged && winner == &first) {
            if (second.cost < infinite) renew_runner_up(second, r.rounds);
            return;
        }
        if (second.cost == infinite) second = best_few_.other_than(winner->candidate);
        const double untuned = challenged ? verdict_->default_cost : first.cost;
        verdict_ = with_runner_up({.winner = winner->candidate, .cost = winner->cost, .default_cost = untuned}, second);
        if (challenged) stale_ = 0;
        if (best_.candidate == winner->candidate) return;
        best_ = {.candidate = winner->candidate};
        for (const double seconds : winner->costs) best_.times.add(seconds);
    }

    [[nodiscard]] double cost_of(index i) const
    {
        if (i == best_.candidate) return best_cost();
        return i == untuned_.candidate ? default_cost() : best_few_.cost_of(i);
    }

    static constexpr double infinite = std::numeric_limits<double>::infinity();
    static constexpr double most_paid = 100;  ///< calls

    contender untuned_, best_;
    account books_;
    random::philox gen_;
    search::state_of<Strategy, Space> state_;
    shortlist best_few_;
    std::vector<answer> answers_{};  ///< of all candidates
    std::variant<untaught, between, trial, race, nothing> doing_{};
    std::optional<outcome> verdict_{};
    double known_cost_ = 0;  ///< the best one's in an earlier process; 0: not known
    double slowest_[2];      ///< the slowest candidate so far, near and distant, in times of the best one's cost
    std::uint64_t trials_ = 0, stale_ = 0, first_calls_ = first_calls;
    std::uint32_t strikes_ = 0;  ///< calls of the default or the best that gave no time
    role role_ = role::none;
    bool refreshed_ = false;  ///< whether the best was timed since the last candidate; a race keeps that
};

}  // namespace detail
}  // namespace tunekit::online
