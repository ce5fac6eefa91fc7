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
#include <vector>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/race.hpp"
#include "tunekit/online/detail/account.hpp"
#include "tunekit/online/detail/recent.hpp"
#include "tunekit/online/options.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/search/concepts.hpp"

namespace tunekit::online {

/// The result that a context has settled on. Costs are seconds per call.
struct outcome {
    index winner = 0;                                        ///< the configuration that is used
    index runner_up = 0;                                     ///< the next best one; the winner where there is no other
    double cost = std::numeric_limits<double>::quiet_NaN();  ///< the winner's; NaN where the context gave up
    double runner_up_cost = std::numeric_limits<double>::quiet_NaN();  ///< the runner-up's; NaN likewise
    double default_cost = std::numeric_limits<double>::quiet_NaN();    ///< the default's; NaN likewise

    friend bool operator==(const outcome&, const outcome&) = default;
};

namespace detail {

/// One configuration that is compared, with its times.
struct contender {
    index candidate = 0;
    recent times{};

    friend bool operator==(const contender&, const contender&) = default;
};

/// The run of one context from opening to settling. `next` says which configuration the next timed call runs, and how
/// many calls pass before it. `told` takes the time of that call. Nothing here reads a clock. Copyable.
///
/// The default is timed first. Then come candidates: each runs once and, unless that was clearly slower, `runs` times.
/// In between, the best configuration is used. It is timed once before each candidate. In the end the best few race
/// against the default.
template <class Space, class Strategy>
class open_run {
public:
    /// `best` is where the search begins: the default, or the best configuration of an earlier run.
    open_run(const Space& space, const Strategy& strategy, const options& o, index untuned, index best,
             random::philox gen)
        : untuned_{.candidate = untuned},
          best_{.candidate = best},
          books_{.regret = o.regret, .reinvest = o.reinvest},
          gen_(gen),
          state_(strategy.start(space)),
          slowest_{o.near_slowdown, o.far_slowdown}
    {
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
        if (untuned_.times.seen() < first_calls) return turn_of(role::untuned, untuned_.candidate);
        if (best_.candidate != untuned_.candidate && best_.times.seen() < first_calls)
            return turn_of(role::best, best_.candidate);
        while (!track_ && !tried_ && !over()) {
            if (!refreshed_) return turn_of(role::best, best_.candidate);
            if (!taught_) teach_first(space, strategy);
            if (stops(o) || !propose(space, strategy, probe)) begin_race(o);
        }
        if (over()) return turn_of(role::best, best_.candidate);
        if (tried_) {
            const double loss = expected_loss(*tried_) + o.call_seconds;
            if (const std::uint64_t n = calls_until(loss, o)) return wait(n);
            return turn_of(role::candidate, tried_->candidate);
        }
        const index racer = line_[answers_.size()];
        const double loss = (std::max)(0.0, cost_of(racer) - best_cost()) + o.call_seconds;
        if (const std::uint64_t n = calls_until(loss, o)) return wait(n);
        return turn_of(role::racer, racer);
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
                return distrust();
            case role::candidate:
                pass(1);
                if (good) books_.lost += (std::max)(0.0, seconds - best_cost());
                return tries(space, strategy, o, seconds, good);
            case role::racer:
                pass(1);
                if (good) books_.lost += (std::max)(0.0, seconds - best_cost());
                return races(seconds, good);
        }
    }

    /// Says that the time of the call that `next` asked for will not come.
    void forget(const Space& space, const Strategy& strategy, const options& o)
    {
        if (role_ == role::candidate) told(space, strategy, o, std::numeric_limits<double>::infinity());
        role_ = role::none;
    }

    /// Ends the run without a race. The default stays.
    void give_up() { verdict_ = outcome{.winner = untuned_.candidate, .runner_up = untuned_.candidate}; }

    [[nodiscard]] bool over() const noexcept { return verdict_.has_value(); }
    [[nodiscard]] const outcome& verdict() const { return *verdict_; }
    [[nodiscard]] index best() const noexcept { return best_.candidate; }
    [[nodiscard]] bool racing() const noexcept { return track_.has_value(); }
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
    static constexpr std::uint64_t first_calls = 5;  ///< calls of the default before its time counts as known

    enum class role : std::uint8_t { none, untuned, best, candidate, racer };

    /// A configuration that was measured as often as wanted.
    struct found {
        double cost = 0;
        index candidate = 0;
    };

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

    /// The share of the time spent that may be lost; empty: the whole account. It falls with the root of the number of
    /// candidates without a better one, so that a longer run tries more of them and loses a smaller part of its time to
    /// them.
    [[nodiscard]] std::optional<double> share(const options& o) const noexcept
    {
        if (racing() || stale_ < o.eager) return std::nullopt;
        return o.regret * std::sqrt(static_cast<double>(o.eager + 1) / static_cast<double>(stale_ + 1));
    }

    /// The seconds that a call of the candidate is expected to lose. One that never ran may be as slow as the slowest
    /// so far at the same distance.
    [[nodiscard]] double expected_loss(const contender& c) const
    {
        const double slower = c.times.seen() > 0 ? c.times.median() / best_cost() : slowest_[far_];
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

    /// Tells the strategy what is known before the search: the default, and the best configuration.
    void teach_first(const Space& space, const Strategy& strategy)
    {
        observe(space, strategy, untuned_.candidate, {.cost = default_cost(), .runs = 1});
        if (best_.candidate != untuned_.candidate)
            observe(space, strategy, best_.candidate, {.cost = best_cost(), .runs = 1});
        taught_ = true;
    }

    void observe(const Space& space, const Strategy& strategy, index i, const measure::measurement& m)
    {
        strategy.observe(*state_, space, std::span<const index>(&i, 1), std::span<const measure::measurement>(&m, 1),
                         gen_);
    }

    /// Asks for a candidate. False where the strategy proposes nothing.
    template <class Probe>
    [[nodiscard]] bool propose(const Space& space, const Strategy& strategy, const Probe& probe)
    {
        const std::vector<index> one = strategy.propose(*state_, space, 1, gen_);
        if (one.size() != 1 || one.front() >= space.size()) return false;
        ++trials_;
        ++stale_;
        if (const std::optional<measure::measurement> known = probe(one.front())) {
            books_.lost += known->run_seconds;
            if (known->failed || known->cost > best_cost()) {
                observe(space, strategy, one.front(), *known);
                return true;
            }
        }
        tried_ = contender{.candidate = one.front()};
        far_ = is_far(space, one.front());
        return true;
    }

    void tries(const Space& space, const Strategy& strategy, const options& o, double seconds, bool good)
    {
        contender& c = *tried_;
        measure::measurement m{.runs = static_cast<std::uint32_t>(c.times.seen() + 1)};
        if (!good) {
            m.failed = measure::failure{.kind = measure::failure_kind::bad_cost, .message = "the call gave no time"};
            observe(space, strategy, c.candidate, m);
            tried_.reset();
            refreshed_ = false;
            return;
        }
        c.times.add(seconds);
        slowest_[far_] = (std::max)(slowest_[far_], seconds / best_cost());
        slowest_[1] = (std::max)(slowest_[0], slowest_[1]);
        const std::uint64_t runs = c.times.seen();
        const double slower = runs == 1 ? 1.3 : runs == 2 ? 1.1 : 1.02;  // of the fastest: disturbances only add time
        const bool lost = c.times.fastest() > slower * best_cost();
        if (runs < o.runs && !lost) return;
        m.cost = c.times.median();
        observe(space, strategy, c.candidate, m);
        if (!lost) remember({m.cost, c.candidate}, o.finalists);
        if (m.cost < best_cost() && runs >= o.runs) {
            best_ = c;
            stale_ = 0;
        }
        tried_.reset();
        refreshed_ = false;
    }

    /// Keeps the best few, best first.
    void remember(found f, std::size_t most)
    {
        finalists_.insert(std::upper_bound(finalists_.begin(), finalists_.end(), f,
                                           [](const found& a, const found& b) { return a.cost < b.cost; }),
                          f);
        if (finalists_.size() > most) finalists_.pop_back();
    }

    /// Goes back to the default where the best configuration is no better after all, because only a few lucky runs made
    /// it so.
    void distrust()
    {
        if (best_.candidate == untuned_.candidate || best_.times.seen() < first_calls) return;
        for (found& f : finalists_)
            if (f.candidate == best_.candidate) f.cost = best_cost();
        if (best_cost() > default_cost()) best_ = untuned_;
    }

    void begin_race(const options& o)
    {
        std::vector<index> all{untuned_.candidate};
        if (best_.candidate != untuned_.candidate) all.push_back(best_.candidate);
        for (const found& f : finalists_)
            if (all.size() <= o.finalists && f.cost <= close * best_cost() &&
                std::find(all.begin(), all.end(), f.candidate) == all.end())
                all.push_back(f.candidate);
        state_.reset();  // frees its memory for the race
        if (all.size() == 1) return give_up_for_want(all.front());
        track_.emplace(all, measure::race_options{});
        line_ = track_->lines_up();
    }

    /// Ends the run because no candidate came near the default.
    void give_up_for_want(index only)
    {
        verdict_ = outcome{.winner = only,
                           .runner_up = only,
                           .cost = default_cost(),
                           .runner_up_cost = default_cost(),
                           .default_cost = default_cost()};
    }

    void races(double seconds, bool good)
    {
        measure::measurement m{.cost = seconds, .runs = 1};
        if (!good) m.failed = measure::failure{.kind = measure::failure_kind::bad_cost};
        answers_.push_back(std::move(m));
        if (answers_.size() < line_.size()) return;
        track_->finishes(answers_);
        answers_.clear();
        if (track_->over()) settle(track_->verdict());
        else line_ = track_->lines_up();
    }

    /// Settles on the default unless it was shown to be slower, otherwise on the fastest that was not shown to be
    /// slower.
    void settle(const measure::race_result& r)
    {
        const measure::standing* winner = nullptr;
        const measure::standing* second = nullptr;
        const measure::standing& untuned = r.standings.front();
        for (const measure::standing& s : r.standings)
            if (s.tied && (winner == nullptr || s.cost < winner->cost)) winner = &s;
        if (winner == nullptr || (untuned.tied && !untuned.failed)) winner = &untuned;
        for (const measure::standing& s : r.standings)
            if (&s != winner && !s.failed && (second == nullptr || s.cost < second->cost)) second = &s;
        if (second == nullptr) second = winner;
        verdict_ = outcome{.winner = winner->candidate,
                           .runner_up = second->candidate,
                           .cost = winner->cost,
                           .runner_up_cost = second->cost,
                           .default_cost = untuned.cost};
    }

    [[nodiscard]] double cost_of(index i) const
    {
        if (i == best_.candidate) return best_cost();
        for (const found& f : finalists_)
            if (f.candidate == i) return f.cost;
        return default_cost();
    }

    static constexpr double close = 1.1;  ///< candidates above this multiple of the best cost do not race

    contender untuned_, best_;
    std::optional<contender> tried_{};
    account books_;
    random::philox gen_;
    std::optional<search::state_of<Strategy, Space>> state_;  ///< empty once it races
    std::vector<found> finalists_{};
    std::optional<measure::race_track> track_{};
    std::vector<index> line_{};                    ///< the configurations of the round under way
    std::vector<measure::measurement> answers_{};  ///< their measurements so far
    std::optional<outcome> verdict_{};
    double slowest_[2];  ///< the slowest candidate so far, near and far, in times of the best one's cost
    bool far_ = false;   ///< whether the candidate under way is a far one
    std::uint64_t trials_ = 0, stale_ = 0;
    std::uint32_t strikes_ = 0;  ///< calls of the default or the best that gave no time
    role role_ = role::none;
    bool taught_ = false, refreshed_ = false;
};

}  // namespace detail
}  // namespace tunekit::online
