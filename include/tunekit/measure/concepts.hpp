// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What measuring a configuration gives, and who gives it.

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tunekit/space/concepts.hpp"

namespace tunekit::measure {

/// What went wrong with a configuration.
enum class failure_kind : std::uint8_t {
    invalid,         ///< refused before anything was built
    build_error,     ///< did not compile
    build_timeout,   ///< was still compiling at limits::build_seconds
    crash,           ///< ended by a signal; `code` is its number
    exited,          ///< left the process; `code` is the exit status
    run_timeout,     ///< was still running at limits::run_seconds
    out_of_memory,   ///< asked for more than it may have
    wrong_result,    ///< computed something else than the reference
    damaged_canary,  ///< wrote beside its output
    launch_error,    ///< the device refused to start it or gave it up; `code` is the device's
    bad_cost,        ///< reported a time that is no positive finite number
};

/// A failure is data: it is logged, counted and shown to strategies like any cost.
struct failure {
    failure_kind kind = failure_kind::invalid;
    int code = 0;         ///< signal, exit status or device code, as `kind` says; else 0
    std::string message{};  ///< one line for a person

    friend bool operator==(const failure&, const failure&) = default;
};

/// The limits of one batch, fixed when it is proposed.
struct limits {
    double abandon_above = std::numeric_limits<double>::infinity();  ///< seconds; a dearer candidate may be cut short
    double run_seconds = 10;    ///< wall time of one candidate's runs, warm-up and check included
    double build_seconds = 10;  ///< wall time of one candidate's build

    friend bool operator==(const limits&, const limits&) = default;
};

/// All that was learned about one configuration.
struct measurement {
    double cost = std::numeric_limits<double>::quiet_NaN();  ///< seconds of one run; meaningless where `failed`
    double spread = 0;        ///< seconds; standard error of `cost` as the repetition policy estimates it
    std::uint32_t runs = 0;   ///< timed runs behind `cost`
    bool at_least = false;    ///< cut short: the true cost is not below `cost`
    double build_seconds = 0; ///< wall seconds
    double run_seconds = 0;   ///< wall seconds in running the candidate: check, warm-up and timing
    std::optional<failure> failed{};
    std::vector<double> batches{};  ///< seconds per run of each timed batch, in order

    /// Whether `cost` is a verified time of the whole candidate, fit to be compared and ranked.
    [[nodiscard]] bool ok() const noexcept { return !failed && !at_least; }

    friend bool operator==(const measurement&, const measurement&) = default;
};

/// Measures configurations, in the order of the batch. The one mutable collaborator: it owns the outside world.
/// Exceptions mean that measuring itself is broken (no memory, no child); what a candidate does wrong is data.
template <class M>
concept measurer = requires(M& m, std::span<const index> batch, const limits& l) {
    { m.measure(batch, l) } -> std::same_as<std::vector<measurement>>;
};

/// Tells the time in seconds since a moment of its own; never goes backwards. Read once per batch.
template <class C>
concept clock = requires(C& c) {
    { c() } -> std::same_as<double>;
};

}  // namespace tunekit::measure
