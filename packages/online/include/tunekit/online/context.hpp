// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Online tuning of one kernel at one size, by the calls that the running application makes anyway.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/core/index_table.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/online/detail/guard.hpp"
#include "tunekit/online/detail/open_run.hpp"
#include "tunekit/online/options.hpp"
#include "tunekit/online/outcome.hpp"
#include "tunekit/online/status.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::online {

/// The settings that the contexts of one kernel share. They are immutable, so that copies of a context stay
/// independent.
template <class Space, class Parts = parts<>>
struct setup {
    Space space;                ///< the configurations that a context chooses from
    index untuned = 0;          ///< the index of the default
    online::options options{};  ///< the cost and the end of tuning
    Parts parts{};              ///< the strategy, the agreement of ranks, the probe and the clock
};

/// Tunes one kernel at one size while the application runs.
///
///     auto& t = dslash.at(online::key(nx, ny));
///     t.run([&](const auto& c) { launch(c); });        // picks, times, learns
///     const auto& c = t.next();                         // the same for those who time with events
///     ...
///     t.report(seconds);
///
/// A call gets the default until the account (see `options`) allows a candidate. A slower candidate costs one call. In
/// between, calls get the best known configuration. After `eager` candidates without a better one, the best few race
/// against the default by the rule of measure::race: the default stays unless it was shown to be slower. Then the
/// context is settled and runs its winner. Such a call is one predictable branch, and one in `watch` is timed. The
/// search goes on for a falling share of the time until `max_trials`, `patience`, `max_seconds` or the end of the
/// space: what seems better than the winner races against it, and may take its place. Once the winner has become slower
/// and the runner-up and the default have not, or one of them has become faster than it, the context opens again.
///
/// A candidate that crashes takes the application with it: give a probe (see `parts`), or keep such configurations out
/// of the space. A candidate must compute what the default computes.
///
/// Errors:     none at run time. `problem()` returns what was wrong with a call, and the default or the best is used.
///             An exception of the kernel passes through.
/// Randomness: the seed of the options and the key; the same times give the same run.
/// Cost:       about 2 ns once settled, and 5 ns with the share of the timed calls, besides two readings of the clock
///             in `watch` calls. While open, 2 ns for untimed calls, and below 3 us for timed ones.
/// Threads:    one at a time. A reference that `next` returned is valid until the next call of `next`.
template <class Space, class Parts = parts<>>
class context {
    static_assert(space::typed<Space>,
                  "tunekit: online::context, part 1 is not a space that hands out configurations: "
                  "at(index) or index_of(config) is missing or not const");

public:
    /// A configuration of the space.
    using config = typename Space::config;

    /// Makes an open context. Contexts of one setup with different `stream` have different draws.
    explicit context(std::shared_ptr<const setup<Space, Parts>> how, std::uint64_t stream = 0)
        : how_(std::move(how)), stream_(stream), in_use_(how_->space.at(how_->untuned)), used_(how_->untuned)
    {
        open(how_->untuned);
    }

    /// Makes a context that goes on where another process stopped (see `so_far`). A settled one checks its outcome
    /// after few calls; a provisional one times its best and the default again, and goes on with its search.
    context(std::shared_ptr<const setup<Space, Parts>> how, progress known, std::uint64_t stream = 0)
        : how_(std::move(how)), stream_(stream), in_use_(how_->space.at(known.what.winner)), used_(known.what.winner)
    {
        const outcome what = known.what;
        const bool settled = known.settled;
        if (known.search || !settled)
            open_.emplace_back(how_->space, how_->parts.strategy, how_->options, how_->untuned, std::move(known),
                               draws());
        if (settled) {
            guard_.emplace_back(what, how_->untuned, how_->options);
            guard_.front().look_within(first_look);
            sleep(guard_.front().quiet(how_->options));
        }
    }

    /// The context uses `at` and nothing else from here on: no call is timed, nothing is tried, and what it had found
    /// is forgotten. Throws std::invalid_argument where that is outside the space.
    void pin(index at)
    {
        require(at < how_->space.size(), "online::context: pin is not a configuration of the space, want one");
        open(at);
        open_.clear();
        guard_.emplace_back(outcome{.winner = at, .runner_up = at}, how_->untuned, how_->options);
        pinned_ = true;
        use(at);
        sleep(detail::guard::never);
    }

    /// Calls f(configuration) and returns its result.
    template <class F>
    decltype(auto) run(F&& f)
    {
        if (--quiet_ != 0) [[likely]]
            return std::forward<F>(f)(std::as_const(in_use_));
        return timed(std::forward<F>(f));
    }

    /// The configuration of the next call.
    [[nodiscard]] const config& next()
    {
        if (--quiet_ != 0) [[likely]]
            return in_use_;
        choose();
        return in_use_;
    }

    /// Reports the seconds of the call that `next` gave a configuration for. Untimed calls need no report; a report of
    /// one is ignored.
    void report(double seconds)
    {
        if (waits_ == waiting::nobody) [[likely]] {
            if (quiet_ == asleep_ && asleep_ == 1) told(trouble::unasked);
            return;
        }
        take(how_->parts.agree(seconds));
    }

    /// Whether a `report` is expected. Other calls need not be timed.
    [[nodiscard]] bool wants_time() const noexcept { return waits_ != waiting::nobody; }

    /// The latest fault in the use of the context. Asking clears it, so each is told once.
    [[nodiscard]] trouble problem() noexcept { return std::exchange(trouble_, trouble::none); }

    /// The phase. A context that settled without a valid time has given up.
    [[nodiscard]] online::phase phase() const noexcept
    {
        if (pinned_) return phase::pinned;
        if (settled()) return guard_.front().what().cost > 0 ? phase::settled : phase::gave_up;
        if (open_.front().racing()) return phase::racing;
        return open_.front().opening() ? phase::opening : phase::searching;
    }
    /// Whether it has decided, for a winner or by giving up, or is pinned. Few calls are then timed, or none.
    [[nodiscard]] bool settled() const noexcept { return !guard_.empty(); }

    /// The outcome that it settled on. Empty while it is open, and where it gave up or is pinned.
    [[nodiscard]] std::optional<outcome> result() const
    {
        if (phase() != phase::settled) return std::nullopt;
        return guard_.front().what();
    }

    /// What another process needs to go on, settled or not. Empty before the default was timed, and where it gave up or
    /// is pinned.
    [[nodiscard]] std::optional<progress> so_far() const
    {
        progress p;
        if (!open_.empty()) {
            if (!(open_.front().default_cost() > 0)) return std::nullopt;
            const std::uint64_t since = asleep_ - quiet_ + (settled() ? idle_ : 0);
            p = open_.front().so_far(pending() ? since : 0);
        }
        p.settled = settled();
        if (p.settled) p.what = guard_.front().what();
        if (!(p.what.cost > 0)) return std::nullopt;
        p.reopened = reopened_ > 0;
        return p;
    }

    /// The state, with its numbers so far. It copies a few values; it changes nothing.
    [[nodiscard]] online::status status() const
    {
        online::status s{.phase = phase(), .calls = calls_ + asleep_ - quiet_, .reopened = reopened_};
        s.searching = !open_.empty();
        s.alarms = alarms_;
        if (settled()) {
            const outcome& what = guard_.front().what();
            s.best = what.winner;
            s.cost = what.cost;
            s.default_cost = what.default_cost;
            s.alarms += guard_.front().alarms();
        }
        if (open_.empty()) return s;
        const run_type& r = open_.front();
        s.trials = r.trials();
        s.lost = r.books().lost;
        s.saved = r.books().saved;
        if (settled()) return s;
        s.best = r.best();
        s.cost = r.best_cost();
        s.default_cost = r.default_cost();
        return s;
    }

    /// Takes that configuration as the best so far, for a context that has not been called yet: another device's
    /// winner, say. It is timed against the default first, and dropped where it is not faster. Throws
    /// std::invalid_argument where it is outside the space. A pinned context keeps its configuration, here and below.
    void begin_with(index known)
    {
        require(known < how_->space.size(),
                "online::context: begin_with is not a configuration of the space, want one");
        if (!pinned_) open(known);
    }

    /// Tunes again, starting from the configuration in use, for applications that know that something has changed.
    void reopen()
    {
        if (pinned_) return;
        ++reopened_;
        open(status().best);
    }

private:
    using run_type = detail::open_run<Space, std::remove_cvref_t<decltype(std::declval<Parts&>().strategy)>>;

    static constexpr std::uint64_t first_look = 200;  ///< calls before the first check of an outcome from a file

    static constexpr std::uint32_t purpose = 0x6f6e6c6eU;  ///< keeps its draws apart from other streams

    /// Who waits for a time.
    enum class waiting : std::uint8_t { nobody, search, guard };

    /// Lets `n` calls pass without any check. The n-th of them goes to `choose`.
    void sleep(std::uint64_t n) noexcept { quiet_ = asleep_ = n; }

    [[nodiscard]] random::philox draws() const
    {
        return random::stream(how_->options.seed, purpose, core::mixed(stream_, reopened_));
    }

    void open(index from)
    {
        if (settled()) alarms_ += guard_.front().alarms();
        guard_.clear();
        open_.clear();
        open_.emplace_back(how_->space, how_->parts.strategy, how_->options, how_->untuned, from, draws());
        waits_ = waiting::nobody;
        next_ = {};
        calls_ = 0;
        sleep(1);
    }

    void use(index i)
    {
        if (i == used_) return;
        in_use_ = how_->space.at(i);
        used_ = i;
    }

    void run_timed(index i, waiting by)
    {
        use(i);
        waits_ = by;
    }

    void told(trouble t) noexcept { trouble_ = t; }

    /// Whether the search's next call waits for untimed ones to pass.
    [[nodiscard]] bool pending() const noexcept { return next_.untimed > 0; }

    /// The slow half of `next`. With this call, `asleep_` calls have passed.
    [[gnu::noinline]] void choose()
    {
        const std::uint64_t passed = asleep_;
        calls_ += passed;
        sleep(1);
        if (waits_ != waiting::nobody) forget();
        if (settled()) return attend(passed);
        run_type& r = open_.front();
        if (pending()) {
            r.pass(std::exchange(next_.untimed, 0));
        } else {
            next_ = r.next(how_->space, how_->parts.strategy, how_->options, prober());
            if (settle()) {
                next_ = {};
                return attend(passed);
            }
            if (pending()) {  // this call is the first of the untimed ones
                use(next_.candidate);
                return sleep(next_.untimed);
            }
        }
        run_timed(next_.candidate, waiting::search);
    }

    /// Chooses once settled: a candidate of the search where one can be paid, or what the guard wants timed.
    void attend(std::uint64_t passed)
    {
        detail::guard& g = guard_.front();
        if (!(g.what().cost > 0)) return sleep(detail::guard::never);
        idle_ += passed;
        if (!open_.empty() && !g.in_pairs() && search_on()) return run_timed(next_.candidate, waiting::search);
        run_timed(g.next(passed), waiting::guard);
    }

    /// Whether the next call is one of the search of a settled context.
    bool search_on()
    {
        run_type& r = open_.front();
        if (!pending()) {
            next_ = r.next(how_->space, how_->parts.strategy, how_->options, prober());
            settle();
            if (open_.empty()) return false;
            idle_ = 0;
            return !pending();
        }
        if (idle_ < next_.untimed) return false;
        r.pass(idle_);
        next_.untimed = 0;
        return true;
    }

    /// Runs the winner, untimed, until the guard or the search wants a call.
    void rest()
    {
        use(guard_.front().what().winner);
        std::uint64_t n = guard_.front().quiet(how_->options);
        if (!open_.empty() && !guard_.front().in_pairs())
            n = (std::min)(n, next_.untimed > idle_ ? next_.untimed - idle_ : 1);
        sleep(n);
    }

    /// Takes over what the search has decided, and ends it where it is over. Whether anything is decided.
    bool settle()
    {
        run_type& r = open_.front();
        if (!r.decided()) return false;
        const bool anew = !settled() || guard_.front().what().winner != r.verdict().winner;
        if (anew) {
            if (settled()) alarms_ += guard_.front().alarms();
            guard_.clear();
            guard_.emplace_back(r.verdict(), how_->untuned, how_->options);
        } else if (guard_.front().what().runner_up != r.verdict().runner_up) {
            guard_.front().compare_with(r.verdict().runner_up, r.verdict().runner_up_cost);
        }
        if (r.over()) {
            open_.clear();
            open_.shrink_to_fit();
        }
        return true;
    }

    void forget()
    {
        told(trouble::not_told);
        const waiting who = std::exchange(waits_, waiting::nobody);
        if (who == waiting::guard) guard_.front().forget(how_->options);
        else open_.front().forget(how_->space, how_->parts.strategy, how_->options);
        if (settled()) use(guard_.front().what().winner);
    }

    void take(double seconds)
    {
        const waiting who = std::exchange(waits_, waiting::nobody);
        const bool good = std::isfinite(seconds) && seconds > 0;
        if (!good && trouble_ == trouble::none) told(trouble::no_time);
        if (who == waiting::guard) {
            detail::guard& g = guard_.front();
            if (!good) {
                g.forget(how_->options);
            } else if (const std::optional<index> from = g.told(seconds, how_->options)) {
                ++reopened_;
                return open(*from);
            }
            return rest();
        }
        run_type& r = open_.front();
        r.told(how_->space, how_->parts.strategy, how_->options, seconds);
        if (r.strikes() >= 3) {
            told(trouble::broken);
            r.give_up();
        }
        if (settle()) rest();
    }

    /// Measures a candidate elsewhere where there is a probe. All ranks get the same measurement.
    [[nodiscard]] auto prober() const
    {
        return [&with = how_->parts](index i) -> std::optional<measure::measurement> {
            if constexpr (std::is_same_v<std::remove_cvref_t<decltype(with.probe)>, no_probe>) {
                (void)i;
                return std::nullopt;
            } else {
                measure::measurement m = with.probe(i);
                m.cost = with.agree(m.ok() ? m.cost : std::numeric_limits<double>::infinity());
                m.run_seconds = with.agree(m.build_seconds + m.run_seconds);
                m.build_seconds = 0;
                if (!(std::isfinite(m.cost) && m.cost > 0) && !m.failed)
                    m.failed = measure::failure{.kind = measure::failure_kind::bad_cost, .message = "failed elsewhere"};
                return m;
            }
        };
    }

    /// Times one call of `run`. A call that throws has no time.
    template <class F>
    [[gnu::noinline]] decltype(auto) timed(F&& f)
    {
        choose();
        if (waits_ == waiting::nobody) return std::forward<F>(f)(std::as_const(in_use_));
        struct stopwatch {
            context& of;
            int throwing = std::uncaught_exceptions();
            double began = of.how_->parts.now();

            ~stopwatch() noexcept(false)
            {
                const double took = of.how_->parts.now() - began;
                const bool threw = std::uncaught_exceptions() > throwing;
                if (threw) of.told(trouble::threw);
                of.take(of.how_->parts.agree(threw ? std::numeric_limits<double>::infinity() : took));
            }
        } watch{*this};
        return std::forward<F>(f)(std::as_const(in_use_));
    }

    std::shared_ptr<const setup<Space, Parts>> how_;
    std::uint64_t quiet_ = 1;   ///< calls until the next `choose`, that one included
    std::uint64_t asleep_ = 1;  ///< the value that `quiet_` began with
    std::uint64_t calls_ = 0;   ///< the calls before those
    std::uint64_t stream_;
    config in_use_;
    index used_;
    std::vector<run_type> open_{};        ///< one, or none once its search is over, so that it takes no memory then
    std::vector<detail::guard> guard_{};  ///< one once settled
    typename run_type::turn next_{};
    std::uint64_t idle_ = 0;  ///< the calls since the search of a settled context had its last turn
    std::uint32_t reopened_ = 0;
    std::uint32_t alarms_ = 0;  ///< of the guards before this one
    trouble trouble_ = trouble::none;
    waiting waits_ = waiting::nobody;
    bool pinned_ = false;
};

}  // namespace tunekit::online
