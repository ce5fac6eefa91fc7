// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Options of online tuning: its cost, its end, and the parts of a context.

#include <cstddef>
#include <cstdint>
#include <limits>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/online/widening.hpp"

namespace tunekit::online {

/// The cost and the end of online tuning. Times are those of one context.
///
/// Tuning is paid from an account of seconds. Every call adds `regret` times the default's time, and `reinvest` times
/// the time that the call saves against the default. A call that tries a candidate takes out the time by which it is
/// longer than a call of the best known configuration. A candidate is tried only if the account covers its expected
/// loss. So a run never takes more than 1 + `regret` times as long as with the default alone, except for the time by
/// which a candidate exceeds its expected loss. After `eager` candidates without a better one the best few race, and
/// the context settles. Its search goes on: with n >= `eager` candidates without a better one, no more than `regret`
/// sqrt((`eager` + 1) / (n + 1)) of the time spent may be lost. A longer run tries more of them, and loses a smaller
/// part of its time to them.
struct options {
    double regret = 0.02;   ///< >= 0; the share of the default's time that tuning may lose
    double reinvest = 0.5;  ///< in [0, 1]; the share of the saved time that tuning may lose again
    /// >= 1; the assumed time of a candidate one step away, in times of the best one's, until one took longer.
    double near_slowdown = 4;
    double far_slowdown = 8;     ///< >= 1; the same for candidates further away
    double call_seconds = 1e-6;  ///< >= 0; our own time for a timed call, charged like a loss
    /// The number of candidates without a better one after which the context settles, and a falling share of the time
    /// spent limits the loss of its search, which goes on.
    std::uint64_t eager = 50;
    std::uint64_t max_trials = 1600;  ///< the number of candidates after which the search ends
    std::uint64_t patience = 400;  ///< >= 1; the number of candidates without a better one after which the search ends
    /// > 0; the seconds lost to candidates after which the search ends.
    double max_seconds = std::numeric_limits<double>::infinity();
    std::uint32_t runs = 3;    ///< 1 to 15; the calls of a candidate that is not slower
    std::uint32_t watch = 32;  ///< once settled, one call in so many is timed, to notice drift; 0: none
    std::uint64_t seed = 1;    ///< the seed of all draws; the same on all ranks

    static constexpr std::size_t finalists = 5;  ///< the configurations in the race, besides the default
    static constexpr double recheck = 5e-4;      ///< the share of the time for checks of others once settled

    /// Throws std::invalid_argument where a setting is out of range.
    void validate() const
    {
        require(regret >= 0, "online::options: regret is negative or NaN, want >= 0");
        require(reinvest >= 0 && reinvest <= 1, "online::options: reinvest is outside [0, 1] or NaN, want a share");
        require(near_slowdown >= 1 && far_slowdown >= 1,
                "online::options: near_slowdown or far_slowdown is below 1 or NaN, want >= 1");
        require(call_seconds >= 0, "online::options: call_seconds is negative or NaN, want >= 0");
        require(patience >= 1, "online::options: patience is 0, want >= 1");
        require(max_seconds > 0, "online::options: max_seconds is not positive, want > 0 (infinity: no limit)");
        require(runs >= 1 && runs <= 15, "online::options: runs is out of range, want 1 to 15");
    }
};

/// The `agree` of one process: it decides for itself.
struct alone {
    /// Returns the seconds as they are.
    double operator()(double seconds) const noexcept { return seconds; }
};

/// The default `probe`. It measures nothing, so the application is the first to run a candidate.
struct no_probe {};

/// The parts of a context besides its space. All four are called as const objects.
///
///     online::parts{online::widening{}, [](double s) { return max_over_ranks(s); }}
///
/// * `strategy`: a search::strategy. Its calls take time of the application.
/// * `agree`: gets this rank's seconds (infinity: the call failed) and returns the same seconds on every rank. All
///   decisions follow from these and the seed, so ranks that call a context in step use the same configurations. It is
///   called once per timed call, and twice per probe.
/// * `probe`: `measure::measurement(index)`, a measurement that cannot hurt the application, such as one by
///   measure::isolated. A candidate that fails there, or is slower there, is never run in the application.
/// * `now`: a measure::clock.
template <class Strategy = widening, class Agree = alone, class Probe = no_probe, class Clock = measure::wall_clock>
struct parts {
    Strategy strategy{};  ///< the search strategy
    Agree agree{};        ///< what gives all ranks the same seconds; by default for one process
    Probe probe{};        ///< what measures a candidate elsewhere first; by default nothing does
    Clock now{};          ///< the clock of `run`, in seconds
};
parts() -> parts<>;
template <class S>
parts(S) -> parts<S>;
template <class S, class A>
parts(S, A) -> parts<S, A>;
template <class S, class A, class P>
parts(S, A, P) -> parts<S, A, P>;
template <class S, class A, class P, class C>
parts(S, A, P, C) -> parts<S, A, P, C>;

}  // namespace tunekit::online
