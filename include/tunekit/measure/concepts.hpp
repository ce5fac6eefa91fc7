// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Measurements, failures and limits, and the concepts of measurers, repetition policies and clocks.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::measure {

/// The kind of a configuration's failure.
enum class failure_kind : std::uint8_t {
    invalid,         ///< refused before anything was built
    build_error,     ///< did not compile
    build_timeout,   ///< was still compiling at limits::build_seconds
    crash,           ///< ended by a signal; `code` is its number
    exited,          ///< left the process; `code` is the exit status
    run_timeout,     ///< was still running at limits::run_seconds
    out_of_memory,   ///< asked for more memory than it may have
    wrong_result,    ///< computed another result than the reference
    damaged_canary,  ///< wrote outside its output
    launch_error,    ///< the device refused to start it or ended it; `code` is the device's
    bad_cost,        ///< reported a time that is not a positive finite number
    lost,            ///< its worker was lost with it, more often than a job is sent out again
};

/// The name of the enumerator, as logs, tables and messages write it; empty for a number that is no kind.
[[nodiscard]] constexpr const char* to_text(failure_kind kind) noexcept
{
    switch (kind) {  // without a default, so that the compiler tells which enumerator lacks a name
        case failure_kind::invalid:
            return "invalid";
        case failure_kind::build_error:
            return "build_error";
        case failure_kind::build_timeout:
            return "build_timeout";
        case failure_kind::crash:
            return "crash";
        case failure_kind::exited:
            return "exited";
        case failure_kind::run_timeout:
            return "run_timeout";
        case failure_kind::out_of_memory:
            return "out_of_memory";
        case failure_kind::wrong_result:
            return "wrong_result";
        case failure_kind::damaged_canary:
            return "damaged_canary";
        case failure_kind::launch_error:
            return "launch_error";
        case failure_kind::bad_cost:
            return "bad_cost";
        case failure_kind::lost:
            return "lost";
    }
    return "";
}

/// The kind with that number, as a worker or a file gives it; empty where there is none.
[[nodiscard]] constexpr std::optional<failure_kind> failure_kind_of(std::uint8_t number) noexcept
{
    const auto kind = static_cast<failure_kind>(number);
    if (*to_text(kind) == 0) return std::nullopt;
    return kind;
}

/// The kind with that name; empty where there is none.
[[nodiscard]] constexpr std::optional<failure_kind> failure_kind_of(std::string_view name) noexcept
{
    for (std::uint8_t k = 0; failure_kind_of(k); ++k)
        if (name == to_text(static_cast<failure_kind>(k))) return static_cast<failure_kind>(k);
    return std::nullopt;
}

/// The failure of one configuration. A failure is data: it is logged, counted and shown to strategies as a cost is.
struct failure {
    failure_kind kind = failure_kind::invalid;  ///< what went wrong; it says what `code` means
    int code = 0;                               ///< signal, exit status or device code, as `kind` says; else 0
    std::string message{};                      ///< one line for the user

    friend bool operator==(const failure&, const failure&) = default;
};

/// An exception that the kernel, the run or the check of `timed` may throw. The measurement then has the failure `why`,
/// kind and code included.
struct candidate_error : error {
    /// Holds the failure; `what()` is its message.
    explicit candidate_error(failure what) : error(what.message), why(std::move(what)) {}
    failure why;  ///< the failure that the candidate's measurement gets
};

/// The limits of one batch, fixed when it is proposed.
struct limits {
    double abandon_above = std::numeric_limits<double>::infinity();  ///< seconds per run; a slower one may be cut short
    double run_seconds = 10;    ///< wall time of one candidate's runs, warm-up and check included
    double build_seconds = 10;  ///< wall time of one candidate's build

    friend bool operator==(const limits&, const limits&) = default;
};

/// The result of measuring one configuration.
struct measurement {
    double cost = std::numeric_limits<double>::quiet_NaN();  ///< seconds of one run; without meaning where `failed`
    double spread = 0;                ///< seconds; standard error of `cost` as the repetition policy estimates it
    std::uint32_t runs = 0;           ///< timed runs behind `cost`
    bool at_least = false;            ///< cut short: the true cost is not below `cost`
    double build_seconds = 0;         ///< wall seconds of the build; 0 where nothing was built
    double run_seconds = 0;           ///< wall seconds of the candidate's check, warm-up and timing
    std::optional<failure> failed{};  ///< why there is no cost; empty where there is one
    std::vector<double> batches{};    ///< seconds per run of each timed batch, in order

    /// Whether `cost` is a verified time of the whole candidate, so that it can be compared and ranked.
    [[nodiscard]] bool ok() const noexcept { return !failed && !at_least; }

    friend bool operator==(const measurement&, const measurement&) = default;
};

/// The cost that a repetition policy computes from the batches of one configuration.
struct estimate {
    double cost = 0;    ///< seconds of one run
    double spread = 0;  ///< seconds; standard error of `cost`; 0 after a single batch

    friend bool operator==(const estimate&, const estimate&) = default;
};

/// A configuration and its measurement.
struct trial {
    index candidate = 0;     ///< its index in the space
    measurement measured{};  ///< its cost or its failure
    std::size_t worker = 0;  ///< the worker that measured it

    friend bool operator==(const trial&, const trial&) = default;
};

/// A measurer measures configurations, in the order of the batch. It is the only collaborator that changes state: it owns
/// the outside world. An exception means that measuring itself is broken: no memory, or no child process. A candidate's
/// fault is data.
template <class M>
concept measurer = requires(M& m, std::span<const index> batch, const limits& l) {
    { m.measure(batch, l) } -> std::same_as<std::vector<measurement>>;
};

/// A measurer that can report each result before the batch is over: `measure(batch, limits, each)` calls
/// `each(measurement)` once per candidate, in the batch's order, and returns nothing. `tune` records each result as it
/// comes, so that a run that is killed loses only what was being measured.
template <class M>
concept streaming_measurer =
    measurer<M> && requires(M& m, std::span<const index> batch, const limits& l, void (&each)(measurement)) {
        { m.measure(batch, l, each) } -> std::same_as<void>;
    };

/// Measures `batch` and calls `each(measurement)` per candidate, in order, as soon as it is known. A measurer that streams
/// gets the whole batch; any other gets one candidate at a time. Throws tunekit::error where a measurer does not return one
/// measurement per candidate.
template <measurer M, class Each>
void measure_each(M& m, std::span<const index> batch, const limits& l, Each&& each)
{
    if constexpr (streaming_measurer<M>) {
        m.measure(batch, l, each);
    } else {
        for (std::size_t i = 0; i < batch.size(); ++i) {
            auto one = m.measure(batch.subspan(i, 1), l);
            if (one.size() != 1) throw error("measure_each: the measurer did not answer its candidate");
            each(std::move(one.front()));
        }
    }
}

namespace detail {

/// The measurements of a batch, from a measurer that streams.
template <class M>
[[nodiscard]] std::vector<measurement> collected(M& m, std::span<const index> batch, const limits& l)
{
    std::vector<measurement> out;
    out.reserve(batch.size());
    m.measure(batch, l, [&out](measurement one) { out.push_back(std::move(one)); });
    return out;
}

}  // namespace detail

/// A policy that gives the number of runs of the next timed batch, from the batches so far; 0 stops. The first batch
/// has at least one run.
template <class R>
concept plans_runs = requires(const R& policy, std::span<const double> batches) {
    { policy.next(batches) } -> std::same_as<std::uint32_t>;
};

/// A policy that computes the cost from the batches so far. Precondition: at least one batch.
template <class R>
concept estimates_cost = requires(const R& policy, std::span<const double> batches) {
    { policy.estimate_of(batches) } -> std::same_as<estimate>;
};

/// A type whose `validate()` throws std::invalid_argument where a setting is out of range.
template <class R>
concept validated = requires(const R& policy) {
    { policy.validate() } -> std::same_as<void>;
};

/// A repetition policy: a pure function of the seconds per run of each timed batch, oldest first. That list is its only
/// state, so a policy works on recorded batches as on live ones.
template <class R>
concept repetition = std::copyable<R> && plans_runs<R> && estimates_cost<R> && validated<R>;

/// A clock gives the time in seconds since a moment of its own. It never goes backwards. `timed` reads it before and after
/// each batch.
template <class C>
concept clock = requires(C& c) {
    { c() } -> std::same_as<double>;
};

}  // namespace tunekit::measure
