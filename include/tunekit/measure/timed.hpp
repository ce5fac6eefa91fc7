// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The steps of a measurement: a configuration is prepared, warmed up, timed in batches, and checked where it could
/// win.

#include <cstddef>
#include <exception>
#include <limits>
#include <new>
#include <string>
#include <utility>

#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/detail/kernel_forms.hpp"
#include "tunekit/measure/detail/timed_session.hpp"
#include "tunekit/measure/timed_options.hpp"
#include "tunekit/measure/until_confident.hpp"
#include "tunekit/measure/verify.hpp"

namespace tunekit::measure {

/// A kernel with all that is needed to measure one configuration of it.
///
///     timed{[&](const auto& p) { gemm(tk::get<"mc">(p), a, b, c); }}
///     timed{kernel, until_stable{}, matches<float>{c, want, {.absolute = 1e-4}}}
///
/// `kernel(config)` may
///   * run the kernel and return nothing;
///   * prepare it, outside the timed window, and return a callable that runs it. The callable takes nothing, or the
///     number of the run for kernels that rotate between buffers. It returns nothing, or the seconds of its run. Where
///     it has a `restore()`, that is called before each run, untimed;
///   * report the seconds of one run (double or float), as device timers do, or `measure::reported`: seconds with
///     numbers beside.
///
/// `check()` or `check(config)` is called after the first run of a kernel that was prepared. It returns bool, or a text
/// about the fault (std::optional<std::string> or const char*, empty or null if all is well). If it has `poison()`,
/// that is called before the run.
///
/// The steps of one measurement:
///   * prepare the kernel;
///   * where limits::abandon_above is infinite: run it once and check the result;
///   * warm up: single runs until they no longer get faster, within bounds;
///   * time batches as `repeat` says, each long enough for the clock. Runs are timed one by one where something is
///     restored or the cache is cold;
///   * where limits::abandon_above is finite and the candidate was not cut short: prepare the kernel again, run it once
///     and check the result. With check::always every candidate is checked before the warm-up.
///
/// A candidate of which three times and more, in warm-up or in batches, are all above limits::abandon_above is cut
/// short. Its cost is the least time seen, `at_least`. It cannot be best, so it stays `unchecked`: comparing its result
/// would take longer than its runs. If there is no cost to beat yet and limits::abandon_factor is finite, three
/// batches are all. Runs that do not fit into limits::run_seconds, with what is still to be checked, are not begun. The
/// estimate then uses fewer runs than the policy asks for. limits::max_runs leaves the steps out that it names.
///
/// Failures:   `invalid`: preparing threw. `crash` of code 0: a run or the check threw. `out_of_memory`: std::bad_alloc
///             was thrown. `wrong_result`: the check found a fault. `run_timeout`: not one timed run within the limit.
///             `bad_cost`: a time that is not positive and finite, a clock that jumped, or a run that takes no longer
///             than a loop without a kernel, because the compiler has removed the work. A candidate_error gives its own
///             failure.
template <class Kernel, class Repetition = until_confident, class Check = no_check, class Clock = wall_clock>
struct timed {
    static_assert(std::copyable<Repetition>,
                  "tunekit: timed, argument 2 (repeat) is not a repetition policy: it cannot be copied");
    static_assert(detail::plans_runs<Repetition>,
                  "tunekit: timed, argument 2 (repeat) is not a repetition policy: std::uint32_t "
                  "next(std::span<const double>) const is missing or returns another type");
    static_assert(detail::estimates_cost<Repetition>,
                  "tunekit: timed, argument 2 (repeat) is not a repetition policy: measure::estimate "
                  "estimate_of(std::span<const double>) const is missing or returns another type");
    static_assert(detail::validated<Repetition>,
                  "tunekit: timed, argument 2 (repeat) is not a repetition policy: void validate() const is missing or "
                  "returns another type");
    static_assert(
        clock<Clock>,
        "tunekit: timed, argument 4 (now) is not a clock: double operator()() is missing or returns another type");

    Kernel kernel;            ///< runs, prepares or reports; see above
    Repetition repeat{};      ///< the policy that says how many runs are timed
    Check check{};            ///< looks at the result of a run; `no_check{}` checks nothing
    Clock now{};              ///< the clock around each batch, in seconds
    timed_options options{};  ///< of warm-up, caches, the length of batches, and which configurations are checked

    /// The first argument that does not fit, where kernel and check cannot take configurations of this type.
    template <class Config>
    static constexpr detail::misfit misfit_of = detail::misfit_of<Kernel, Check, Config>();

    /// Checks the settings. Throws std::invalid_argument if a setting is out of range.
    void validate() const
    {
        repeat.validate();
        options.validate();
        if constexpr (detail::validated<Check>) check.validate();
    }

    /// Its costs are times, those that a kernel returns too (`measure::measures_time`).
    [[nodiscard]] bool measures_time() const noexcept { return true; }

    /// Measures one configuration. What it throws is the measurement's failure.
    template <class Config>
    [[nodiscard]] measurement operator()(const Config& config, const limits& within)
    {
        if constexpr (detail::fits_timed<misfit_of<Config>>::yes) {
            return measured(config, within);
        } else {
            return {};
        }
    }

private:
    template <class Config>
    measurement measured(const Config& config, const limits& within)
    {
        const wall_clock wall;
        const double start = wall();
        measurement out;
        const auto fail = [&out](failure_kind kind, std::string message) {
            out.failed = failure{.kind = kind, .message = std::move(message)};
        };
        bool preparing = true;
        const auto prepared = [&](auto step) {
            preparing = true;
            auto run = detail::prepare(kernel, config);
            preparing = false;
            detail::timed_run<timed, decltype(run), Config> one(*this, run, config, flushed());
            step(detail::timed_session(one.parts(), options, within, start, out));
            if (one.values().size() != 0) out.values = one.values();
        };
        try {
            prepared([](detail::timed_session session) { session.measure(); });
            if constexpr (!std::same_as<Check, no_check>)  // behind the timing, whose caches and state it would spoil
                if (out.ok() && out.checked == check_state::unchecked && !within.only_looks())
                    prepared([](detail::timed_session session) { session.check(); });
        } catch (const candidate_error& e) {
            out.failed = e.why;
        } catch (const std::bad_alloc&) {
            fail(failure_kind::out_of_memory, "std::bad_alloc");
        } catch (const std::exception& e) {
            fail(preparing ? failure_kind::invalid : failure_kind::crash, std::string("threw: ") + e.what());
        } catch (...) {
            fail(preparing ? failure_kind::invalid : failure_kind::crash,
                 "threw something other than a std::exception");
        }
        if (out.failed) {
            out.cost = std::numeric_limits<double>::quiet_NaN();
            out.spread = 0;
            out.at_least = false;
            out.checked = check_state::unchecked;
        }
        out.run_seconds = wall() - start;
        return out;
    }

    [[nodiscard]] std::size_t flushed() const noexcept
    {
        if (options.state == cache::warm) return 0;
        return options.flush_bytes != 0 ? options.flush_bytes : detail::usual_flush;
    }
};

template <class K>
timed(K) -> timed<K>;
template <class K, class R>
timed(K, R) -> timed<K, R>;
template <class K, class R, class C>
timed(K, R, C) -> timed<K, R, C>;
template <class K, class R, class C, class N>
timed(K, R, C, N) -> timed<K, R, C, N>;
template <class K, class R, class C, class N>
timed(K, R, C, N, timed_options) -> timed<K, R, C, N>;

}  // namespace tunekit::measure
