// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// How one configuration is run: prepared, verified once, warmed up, timed in batches.

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/measure/caches.hpp"
#include "tunekit/measure/candidate_error.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/repetition.hpp"
#include "tunekit/measure/verify.hpp"

namespace tunekit::measure {

/// How batches are timed, beside the repetition policy.
struct timing {
    cache state = cache::warm;
    std::size_t flush_bytes = 0;  ///< written before a cold run; 0: `beyond_caches()`
    double least_steps = 200;  ///< a batch lasts at least so many of the clock's smallest steps; 0: as the policy says
    double settled = 0.05;     ///< warm until a run is no more than this share faster than the fastest before it...
    std::uint32_t settled_runs = 2;  ///< ...so many times in a row
    std::uint32_t most_warm_up_runs = 20;
    double most_warm_up_seconds = 0.1;  ///< no further warm-up run after this

    friend bool operator==(const timing&, const timing&) = default;
};

namespace detail {

template <class F>
concept calls_plainly = std::invocable<F&>;

/// Takes the number of the turn: 0, 1, 2, ... over all runs of a configuration, to use a `rotating` buffer.
template <class F>
concept calls_by_turn = std::invocable<F&, std::uint64_t>;

template <class F>
concept restores = requires(F& run)
{
    run.restore();
};

template <class C>
concept poisons = requires(C& check)
{
    check.poison();
};

template <class Kernel, class Config>
using prepared_t = std::invoke_result_t<Kernel&, const Config&>;

/// What `kernel(config)` is, made one thing: a function of the turn that gives void or its own seconds.
template <class Kernel, class Config>
auto prepare(Kernel& kernel, const Config& config)
{
    using result = prepared_t<Kernel, Config>;
    if constexpr (std::is_void_v<result> || std::is_floating_point_v<result>) {
        return [&kernel, &config] { return kernel(config); };
    } else {
        static_assert(calls_plainly<result> || calls_by_turn<result>,
                      "tunekit: timed, part 1: kernel(config) must run the kernel (void), report its seconds (double) "
                      "or return what "
                      "runs it: a callable of nothing or of the turn's number");
        return kernel(config);
    }
}

template <class Run>
decltype(auto) run_once(Run& run, std::uint64_t turn)
{
    if constexpr (calls_by_turn<Run>) {
        return run(turn);
    } else {
        return run();
    }
}

/// A message as an optional line: from bool, optional<string> or nothing at all.
template <class Check, class Config>
std::optional<std::string> verdict(Check& check, const Config& config)
{
    const auto ask = [&] {
        if constexpr (std::invocable<Check&, const Config&>) {
            return check(config);
        } else {
            static_assert(std::invocable<Check&>,
                          "tunekit: timed, part 3: a check is called with the configuration or with nothing");
            return check();
        }
    };
    if constexpr (std::same_as<decltype(ask()), bool>) {
        if (ask()) return std::nullopt;
        return "the check refused the result";
    } else {
        static_assert(
            std::convertible_to<decltype(ask()), std::optional<std::string>>,
            "tunekit: timed, part 3: a check returns bool or std::optional<std::string>, empty where all is well");
        return ask();
    }
}

}  // namespace detail

/// A kernel with all that is needed to measure one configuration of it.
///
///     timed{[&](const auto& p) { gemm(tk::get<"mc">(p), a, b, c); }, until_stable{}, matches<float>{c, want,
///     {.absolute = 1e-4}}}
///
/// `kernel(config)` may
///   * run the kernel and return nothing;
///   * prepare it, outside the timed window, and return what runs it: a callable of nothing, or of the number of the
///   turn for
///     kernels that rotate between buffers. Where that has a `restore()`, it is called before each run, untimed;
///   * report the seconds of one run (double), as device timers do.
/// `check()` or `check(config)` returns bool or std::optional<std::string>, empty where all is well, after the first
/// run; where it has `poison()`, that is called before. `clock` times, `options` say how.
///
/// One measurement: prepare; first run, checked; single runs until they no longer get faster (bounded); batches as
/// `repeat` says, each long enough for the clock. Single runs are timed alone where something is restored or the cache
/// is cold. A candidate that is `surely_above` limits::abandon_above, in warm-up or in batches, is cut short and costs
/// the least time seen, `at_least`. What does not fit limits::run_seconds is not begun: the estimate then rests on
/// fewer runs than the policy wants.
///
/// Failures:   that of a candidate_error; invalid (preparing threw), out_of_memory (std::bad_alloc), crash of code 0 (a
///             run threw), wrong_result, run_timeout (not one timed run within the limit), bad_cost (a time that is not
///             positive and finite, or a clock that jumped).
template <class Kernel, class Repetition, class Check = no_check, class Clock = wall_clock>
struct timed {
    static_assert(repetition<Repetition>, "tunekit: timed, part 2: not a measure::repetition");
    static_assert(clock<Clock>, "tunekit: timed, part 4: not a measure::clock");

    Kernel kernel;
    Repetition repeat;
    Check check{};
    Clock now{};
    timing options{};

    /// Throws std::invalid_argument where a setting is out of range.
    void validate() const
    {
        repeat.validate();
        require(options.least_steps >= 0 && options.least_steps < 1e9,
                "timed: least_steps is out of range, want 0 to 1e9");
        require(options.settled >= 0 && options.settled < 1, "timed: settled is out of range, want 0 <= settled < 1");
        require(options.most_warm_up_seconds >= 0, "timed: most_warm_up_seconds is negative or NaN, want >= 0");
    }

    /// Measures one configuration.
    template <class Config>
    [[nodiscard]] measurement operator()(const Config& config, const limits& within)
    {
        wall_clock wall;
        const double start = wall();
        measurement out;
        const auto fail = [&out](failure_kind kind, std::string message) {
            out.failed = failure{kind, 0, std::move(message)};
        };
        bool preparing = true;
        try {
            auto run = detail::prepare(kernel, config);
            preparing = false;
            session<decltype(run)> of{*this, run, within, start, out, detail::flusher(flushed())};
            of.measure(config);
        } catch (const candidate_error& e) {
            out.failed = e.why;
        } catch (const std::bad_alloc&) {
            fail(failure_kind::out_of_memory, "std::bad_alloc");
        } catch (const std::exception& e) {
            fail(preparing ? failure_kind::invalid : failure_kind::crash, std::string("threw: ") + e.what());
        } catch (...) {
            fail(preparing ? failure_kind::invalid : failure_kind::crash, "threw something that is no std::exception");
        }
        if (out.failed) {
            out.cost = std::numeric_limits<double>::quiet_NaN();
            out.spread = 0;
            out.at_least = false;
        }
        out.run_seconds = wall() - start;
        return out;
    }

private:
    [[nodiscard]] std::size_t flushed() const noexcept
    {
        if (options.state == cache::warm) return 0;
        return options.flush_bytes != 0 ? options.flush_bytes : beyond_caches();
    }

    /// One configuration while it is measured.
    template <class Run>
    struct session {
        timed& self;
        Run& run;
        const limits& within;
        double start;
        measurement& out;
        detail::flusher flush;
        wall_clock wall{};
        std::uint64_t turn = 0;

        static constexpr bool reports = !std::is_void_v<decltype(detail::run_once(std::declval<Run&>(), 0))>;

        [[nodiscard]] double left() const { return within.run_seconds - (wall() - start); }
        [[nodiscard]] bool alone() const { return detail::restores<Run> || self.options.state == cache::cold; }

        void before()
        {
            if constexpr (detail::restores<Run>) run.restore();
            flush();
        }

        /// Seconds per run of `n` runs.
        double batch(std::uint64_t n)
        {
            double sum = 0;
            if constexpr (reports) {
                for (std::uint64_t i = 0; i < n; ++i) {
                    before();
                    const double t = static_cast<double>(detail::run_once(run, turn++));
                    sum += t > 0 ? t : std::numeric_limits<double>::quiet_NaN();
                }
            } else if (alone()) {
                for (std::uint64_t i = 0; i < n; ++i) {
                    before();
                    const double from = self.now();
                    detail::run_once(run, turn++);
                    asm volatile("" ::: "memory");
                    sum += self.now() - from;
                }
            } else {
                const double from = self.now();
                for (std::uint64_t i = 0; i < n; ++i) {
                    detail::run_once(run, turn++);
                    asm volatile("" ::: "memory");  // each run's stores happen, and happen here
                }
                sum = self.now() - from;
            }
            return sum / static_cast<double>(n);
        }

        void fail(failure_kind kind, std::string message) { out.failed = failure{kind, 0, std::move(message)}; }

        /// Whether `n` runs can have taken `t` seconds each. A clock that jumps forward shows where it tells more than
        /// run_seconds while the wall clock has not reached them.
        bool credible(double t, std::uint64_t n)
        {
            if (!(t >= 0 && t <= (std::numeric_limits<double>::max)())) {
                fail(failure_kind::bad_cost, "a run took " + std::to_string(t) + " s");
            } else if (!reports && t * static_cast<double>(n) > within.run_seconds && left() > 0) {
                fail(failure_kind::bad_cost,
                     "a run took " + std::to_string(t) + " s, but not on the wall: the clock jumped");
            }
            return !out.failed;
        }

        /// Cuts the candidate short where it is certainly dearer than the limit.
        bool abandons(const std::vector<double>& seen)
        {
            if (!surely_above(seen, within.abandon_above)) return false;
            out.cost = seen.front();
            for (const double t : seen)
                out.cost = t < out.cost ? t : out.cost;
            out.at_least = true;
            if (out.batches.empty()) out.runs = static_cast<std::uint32_t>(seen.size());
            return true;
        }

        template <class Config>
        void measure(const Config& config)
        {
            if constexpr (!std::same_as<Check, no_check>) {
                if constexpr (detail::poisons<Check>) self.check.poison();
                before();
                static_cast<void>(detail::run_once(run, turn++));
                if (auto wrong = detail::verdict(self.check, config))
                    return fail(failure_kind::wrong_result, std::move(*wrong));
                if (left() <= 0) return fail(failure_kind::run_timeout, "the checked run took all of run_seconds");
            }
            double fastest = 0;
            if (!warm_up(fastest)) return;
            const std::uint64_t least = least_runs(fastest);
            if (out.failed) return;
            while (const std::uint32_t wanted = self.repeat.next(out.batches)) {
                std::uint64_t n = wanted > least ? wanted : least;
                const double affordable = left() / fastest;
                if (affordable < static_cast<double>(n)) {
                    if (!out.batches.empty() || left() <= 0) break;
                    if (affordable < 1) {  // the warm-up runs are all there will be
                        out.batches.push_back(fastest);
                        out.runs = 1;
                        break;
                    }
                    n = static_cast<std::uint64_t>(affordable);
                }
                const double t = batch(n);
                if (!credible(t, n)) return;
                if (t == 0) return fail(failure_kind::bad_cost, "a timed run took 0 s");
                out.batches.push_back(t);
                out.runs += static_cast<std::uint32_t>(n);
                if (abandons(out.batches)) return;
            }
            if (out.batches.empty()) return fail(failure_kind::run_timeout, "warm-up took all of run_seconds");
            const estimate found = self.repeat.estimate_of(out.batches);
            out.cost = found.cost;
            out.spread = found.spread;
        }

        /// Single runs until they get no faster. False where the measurement is over.
        bool warm_up(double& fastest)
        {
            const timing& how = self.options;
            const double from = wall();
            std::vector<double> seen;
            std::uint32_t calm = 0;
            do {
                const double t = batch(1);
                if (!credible(t, 1)) return false;
                calm = !seen.empty() && t >= (1 - how.settled) * fastest ? calm + 1 : 0;
                fastest = seen.empty() || t < fastest ? t : fastest;
                seen.push_back(t);
                if (abandons(seen)) return false;
            } while (calm < how.settled_runs && seen.size() < how.most_warm_up_runs &&
                     wall() - from < how.most_warm_up_seconds && fastest < left());
            return true;
        }

        /// Runs that make a batch long enough for the clock; brings `fastest`, which one short run cannot tell, up to
        /// date.
        std::uint64_t least_runs(double& fastest)
        {
            if (reports || alone() || self.options.least_steps == 0) return 1;
            const double enough = self.options.least_steps * smallest_step(self.now);
            std::uint64_t n = 1;
            while (static_cast<double>(n) * fastest < enough && n < (std::uint64_t{1} << 24)) {
                const double ratio = enough / (static_cast<double>(n) * fastest);
                const double grown = static_cast<double>(n) * (ratio < 10 ? 1.1 * ratio : 10);
                n = grown > static_cast<double>(n + 1) ? static_cast<std::uint64_t>(grown) : n + 1;
                fastest = batch(n);
                if (!credible(fastest, n)) break;
            }
            return n;
        }
    };
};

template <class K, class R>
timed(K, R) -> timed<K, R>;
template <class K, class R, class C>
timed(K, R, C) -> timed<K, R, C>;
template <class K, class R, class C, class N>
timed(K, R, C, N) -> timed<K, R, C, N>;
template <class K, class R, class C, class N>
timed(K, R, C, N, timing) -> timed<K, R, C, N>;

}  // namespace tunekit::measure
