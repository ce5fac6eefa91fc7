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
#include "tunekit/online/detail/open_run.hpp"
#include "tunekit/online/detail/overtaken.hpp"
#include "tunekit/online/options.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::online {

/// The phase of a context.
enum class phase : std::uint8_t {
    opening,    ///< only the default runs, until its time is known and a first candidate can be afforded
    searching,  ///< candidates are tried; the best known one is used in between
    racing,     ///< the best few run against the default
    settled,    ///< decided; candidates are checked again now and then
    gave_up,    ///< decided for the default, because its times were invalid
};

/// The name of the phase.
[[nodiscard]] constexpr const char* to_text(phase p) noexcept
{
    switch (p) {
        case phase::opening:
            return "opening";
        case phase::searching:
            return "searching";
        case phase::racing:
            return "racing";
        case phase::settled:
            return "settled";
        case phase::gave_up:
            return "gave up";
    }
    return "";
}

/// A fault in the use of a context.
enum class trouble : std::uint8_t {
    none,      ///< no fault
    no_time,   ///< seconds that are negative, zero, NaN or infinite
    unasked,   ///< a time that no call of `next` waits for, or a second one for the same call
    threw,     ///< the function given to `run` threw; such a candidate is not tried again
    not_told,  ///< `next` called again before the time of the last call was reported
    broken,    ///< three invalid times of the default or the best: the default is used from here on
};

/// The fault in one line; empty for none.
[[nodiscard]] constexpr const char* to_text(trouble t) noexcept
{
    switch (t) {
        case trouble::none:
            return "";
        case trouble::no_time:
            return "online: a reported time is negative, zero, NaN or infinite; that call does not count";
        case trouble::unasked:
            return "online: a time was reported that next() does not wait for; it does not count, report once per "
                   "next()";
        case trouble::threw:
            return "online: a call threw; where a candidate did, it is not tried again";
        case trouble::not_told:
            return "online: next() was called before the last time was reported; that call does not count";
        case trouble::broken:
            return "online: three times of the default or the best were none; the default is used from here on";
    }
    return "";
}

/// The state of a context, for people and tables. Seconds are per call unless said otherwise.
struct status {
    online::phase phase = online::phase::opening;            ///< the phase it is in
    std::uint64_t calls = 0;                                 ///< calls since it was made or opened again
    std::uint64_t trials = 0;                                ///< candidates since then; 0 once settled
    index best = 0;                                          ///< the configuration in use
    double cost = std::numeric_limits<double>::quiet_NaN();  ///< the cost of that configuration; NaN before it ran
    double default_cost = std::numeric_limits<double>::quiet_NaN();  ///< the cost of the default; NaN before it ran
    double lost = 0;   ///< seconds spent on candidates and on our own work; 0 once settled
    double saved = 0;  ///< seconds saved against the default while it was open; 0 once settled
    /// How often it was opened again, by `reopen` or because another configuration became faster.
    std::uint32_t reopened = 0;
};

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
/// between, calls get the best known configuration. The search ends by `max_trials`, `patience`, `max_seconds`, or
/// because the space is exhausted. Then the best few race against the default by the rule of measure::race: the default
/// stays unless it was shown to be slower. A settled context runs its winner. Such a call is one predictable branch and
/// is not timed. For the share `recheck` of the time, it checks the default and the runner-up again. It opens again
/// once one of them has become faster.
///
/// A candidate that crashes takes the application with it: give a probe (see `parts`), or keep such configurations out
/// of the space. A candidate must compute what the default computes.
///
/// Errors:     none at run time. `problem()` returns what was wrong with a call, and the default or the best is used.
///             An exception of the kernel passes through.
/// Randomness: the seed of the options and the key; the same times give the same run.
/// Cost:       below 5 ns once settled. While open, the same for untimed calls, and below 3 us for timed ones.
/// Threads:    one at a time. A reference that `next` returned is valid until the next call of `next`.
template <class Space, class Parts = parts<>>
class context {
    static_assert(space::typed<Space>,
                  "tunekit: online::context, part 1 is no space that hands out configurations: "
                  "at(index) or index_of(config) is missing");

public:
    /// A configuration of the space.
    using config = typename Space::config;

    /// Makes an open context. Contexts of one setup with different `stream` have different draws.
    explicit context(std::shared_ptr<const setup<Space, Parts>> how, std::uint64_t stream = 0)
        : how_(std::move(how)), stream_(stream), in_use_(how_->space.at(how_->untuned)), used_(how_->untuned)
    {
        open(how_->untuned);
    }

    /// Makes a context that is settled on the outcome of another run. It checks that outcome after few calls.
    context(std::shared_ptr<const setup<Space, Parts>> how, const outcome& known, std::uint64_t stream = 0)
        : how_(std::move(how)), stream_(stream), in_use_(how_->space.at(known.winner)), used_(known.winner)
    {
        settle(known);
        sleep((std::min)(first_look, asleep_));
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
        if (!waiting_) [[likely]] {
            if (quiet_ == asleep_ && asleep_ == 1) told(trouble::unasked);
            return;
        }
        take(how_->parts.agree(seconds));
    }

    /// Whether a `report` is expected. Other calls need not be timed.
    [[nodiscard]] bool wants_time() const noexcept { return waiting_; }

    /// The latest fault in the use of the context. Asking clears it, so each is told once.
    [[nodiscard]] trouble problem() noexcept { return std::exchange(trouble_, trouble::none); }

    /// The phase. A context that settled without a valid time has given up.
    [[nodiscard]] online::phase phase() const noexcept
    {
        if (open_.empty()) return settled_.cost > 0 ? phase::settled : phase::gave_up;
        if (open_.front().racing()) return phase::racing;
        return open_.front().opening() ? phase::opening : phase::searching;
    }
    /// Whether it has decided, for a winner or by giving up. Calls are then not timed, but for checks.
    [[nodiscard]] bool settled() const noexcept { return open_.empty(); }

    /// The outcome that it settled on. Empty while it is open, and where it gave up.
    [[nodiscard]] std::optional<outcome> result() const
    {
        if (phase() != phase::settled) return std::nullopt;
        return settled_;
    }

    /// The state, with its numbers so far. It copies a few values and computes medians; it changes nothing.
    [[nodiscard]] online::status status() const
    {
        online::status s{.phase = phase(), .calls = calls_ + asleep_ - quiet_, .reopened = reopened_};
        s.best = settled() ? settled_.winner : open_.front().best();
        s.cost = settled() ? settled_.cost : open_.front().best_cost();
        s.default_cost = settled() ? settled_.default_cost : open_.front().default_cost();
        if (settled()) return s;
        s.trials = open_.front().trials();
        s.lost = open_.front().books().lost;
        s.saved = open_.front().books().saved;
        return s;
    }

    /// Takes that configuration as the best so far, for a context that has not been called yet: another device's winner,
    /// say. It is timed against the default first, and dropped where it is not faster. Throws std::invalid_argument
    /// where it is outside the space.
    void begin_with(index known)
    {
        require(known < how_->space.size(), "online::context: begin_with is no configuration of the space, want one");
        open(known);
    }

    /// Tunes again, starting from the configuration in use, for applications that know that something has changed.
    void reopen()
    {
        ++reopened_;
        open(settled() ? settled_.winner : open_.front().best());
    }

private:
    using run_type = detail::open_run<Space, std::remove_cvref_t<decltype(std::declval<Parts&>().strategy)>>;

    static constexpr std::uint64_t first_look = 200;  ///< calls before the first check of an outcome from a file
    static constexpr std::uint64_t min_look = 100;    ///< the least number of calls between two checks

    static constexpr std::uint32_t purpose = 0x6f6e6c6eU;  ///< keeps its draws apart from other streams

    /// Lets `n` calls pass without any check. The n-th of them goes to `choose`.
    void sleep(std::uint64_t n) noexcept { quiet_ = asleep_ = n; }

    void open(index from)
    {
        open_.clear();
        open_.emplace_back(how_->space, how_->parts.strategy, how_->options, how_->untuned, from,
                           random::stream(how_->options.seed, purpose, core::mixed(stream_, reopened_)));
        waiting_ = false;
        pending_ = false;
        calls_ = 0;
        sleep(1);
    }

    void settle(const outcome& what)
    {
        settled_ = what;
        open_.clear();
        open_.shrink_to_fit();
        by_default_ = by_runner_up_ = {};
        use(what.winner);
        sleep_until_look();
    }

    /// Sets the calls until the next check. A check costs two timed calls, one of them with a configuration that lost.
    void sleep_until_look() noexcept
    {
        const options& o = how_->options;
        constexpr std::uint64_t never = std::uint64_t{1} << 62;
        const double slower = (std::max)(0.0, challenger_cost() - settled_.cost);
        const double n = (slower + 2 * o.call_seconds) / (o.recheck * settled_.cost);
        look_ = look::none;
        sleep(n < 4e18 ? (std::max)(min_look, static_cast<std::uint64_t>(n)) : never);  // NaN and 1/0: never
    }

    [[nodiscard]] index challenger() const noexcept { return odd_ ? settled_.runner_up : how_->untuned; }
    [[nodiscard]] double challenger_cost() const noexcept
    {
        return odd_ ? settled_.runner_up_cost : settled_.default_cost;
    }

    void use(index i)
    {
        if (i == used_) return;
        in_use_ = how_->space.at(i);
        used_ = i;
    }

    void told(trouble t) noexcept { trouble_ = t; }

    /// The slow half of `next`. With this call, `asleep_` calls have passed.
    [[gnu::noinline]] void choose()
    {
        calls_ += asleep_;
        sleep(1);
        if (waiting_) forget();
        if (settled()) return look_again();
        run_type& r = open_.front();
        if (!pending_) {
            next_ = r.next(how_->space, how_->parts.strategy, how_->options, prober());
            if (r.over()) return settle(outcome(r.verdict()));
            pending_ = next_.untimed > 0;
            if (pending_) {  // this call is the first of the untimed ones
                use(next_.candidate);
                return sleep(next_.untimed);
            }
        } else {
            r.pass(next_.untimed);
            pending_ = false;
        }
        use(next_.candidate);
        waiting_ = true;
    }

    /// A check: one run of the winner and one of a challenger, in alternating order.
    void look_again()
    {
        if (challenger() == settled_.winner) {
            odd_ = !odd_;
            if (challenger() == settled_.winner) return sleep(std::uint64_t{1} << 62);
        }
        const bool winner_now = (look_ == look::none) == first_;
        use(winner_now ? settled_.winner : challenger());
        waiting_ = true;
    }

    void forget()
    {
        told(trouble::not_told);
        waiting_ = false;
        if (!settled()) open_.front().forget(how_->space, how_->parts.strategy, how_->options);
        else end_look();
    }

    void take(double seconds)
    {
        waiting_ = false;
        if (!(std::isfinite(seconds) && seconds > 0) && trouble_ == trouble::none) told(trouble::no_time);
        if (settled()) return looked(seconds);
        run_type& r = open_.front();
        r.told(how_->space, how_->parts.strategy, how_->options, seconds);
        if (r.strikes() >= 3) {
            told(trouble::broken);
            r.give_up();
        }
        if (r.over()) settle(outcome(r.verdict()));
    }

    void looked(double seconds)
    {
        if (!(std::isfinite(seconds) && seconds > 0)) return end_look();
        if (look_ == look::none) {
            first_seconds_ = seconds;
            look_ = look::half;
            return;
        }
        const bool challenger_faster = first_ ? seconds < first_seconds_ : first_seconds_ < seconds;
        detail::overtaken& by = odd_ ? by_runner_up_ : by_default_;
        by.add(challenger_faster);
        if (by.alarm()) {
            const index better = challenger();
            ++reopened_;
            return open(better);
        }
        end_look();
    }

    /// Goes back to the winner. The next check uses the other challenger, and later the other order.
    void end_look()
    {
        use(settled_.winner);
        odd_ = !odd_;
        if (odd_) first_ = !first_;
        sleep_until_look();
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
        if (!waiting_) return std::forward<F>(f)(std::as_const(in_use_));
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

    enum class look : std::uint8_t { none, half };

    std::shared_ptr<const setup<Space, Parts>> how_;
    std::uint64_t quiet_ = 1;   ///< calls until the next `choose`, that one included
    std::uint64_t asleep_ = 1;  ///< the value that `quiet_` began with
    std::uint64_t calls_ = 0;   ///< the calls before those
    std::uint64_t stream_;
    config in_use_;
    index used_;
    std::vector<run_type> open_{};  ///< one, or none once settled, so that it takes no memory then
    typename run_type::turn next_{};
    outcome settled_{};
    detail::overtaken by_default_{}, by_runner_up_{};
    double first_seconds_ = 0;  ///< the first time of the pair under way
    std::uint32_t reopened_ = 0;
    trouble trouble_ = trouble::none;
    look look_ = look::none;
    bool waiting_ = false;  ///< whether a time is expected
    bool pending_ = false;  ///< whether `next_` waits for its untimed calls to pass
    bool odd_ = false;      ///< whether the next challenger is the runner-up, not the default
    bool first_ = true;     ///< whether the winner runs first in a pair
};

}  // namespace tunekit::online
