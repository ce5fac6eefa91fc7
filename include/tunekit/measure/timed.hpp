// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// How one configuration is run: prepared, verified once, warmed up, timed in batches.

#include <cstddef>
#include <exception>
#include <limits>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/measure/candidate_error.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/repetition.hpp"
#include "tunekit/measure/timed_session.hpp"
#include "tunekit/measure/verify.hpp"

namespace tunekit::measure {

/// A kernel with all that is needed to measure one configuration of it.
///
///     timed{[&](const auto& p) { gemm(tk::get<"mc">(p), a, b, c); }, until_stable{},
///           matches<float>{c, want, {.absolute = 1e-4}}}
///
/// `kernel(config)` may
///   * run the kernel and return nothing;
///   * prepare it, outside the timed window, and return what runs it: a callable of nothing, or of the number of the
///     turn for kernels that rotate between buffers. Where that has a `restore()`, it is called before each run, untimed;
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
            detail::timed_session<timed, decltype(run)> of{*this, run, within, start, out, detail::flusher(flushed())};
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
