// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The result of measuring one configuration: its cost or its failure, what was measured besides, and all of it as
/// bytes.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
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

namespace detail {

[[nodiscard]] constexpr std::string_view name_of(failure_kind kind) noexcept
{
    constexpr const char* names[] = {"invalid",        "build_error",  "build_timeout", "crash",
                                     "exited",         "run_timeout",  "out_of_memory", "wrong_result",
                                     "damaged_canary", "launch_error", "bad_cost",      "lost"};
    static_assert(std::size(names) == static_cast<std::size_t>(failure_kind::lost) + 1, "a name for each kind");
    const auto k = static_cast<std::size_t>(kind);
    return k < std::size(names) ? names[k] : "";
}

}  // namespace detail

/// The name of the enumerator, as logs, tables and messages write it; empty for a number that is no kind.
[[nodiscard]] inline std::string to_text(failure_kind kind) { return std::string(detail::name_of(kind)); }

/// The kind with that number, as a worker or a file gives it; else empty.
[[nodiscard]] constexpr std::optional<failure_kind> failure_kind_of(std::uint8_t number) noexcept
{
    const auto kind = static_cast<failure_kind>(number);
    if (detail::name_of(kind).empty()) return std::nullopt;
    return kind;
}

/// The kind with that name; else empty.
[[nodiscard]] constexpr std::optional<failure_kind> failure_kind_of(std::string_view name) noexcept
{
    std::uint8_t k = 0;
    while (failure_kind_of(k) && name != detail::name_of(static_cast<failure_kind>(k))) ++k;
    return failure_kind_of(k);
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

/// Whether the output of a configuration was compared with a reference.
enum class check_state : std::uint8_t {
    unchecked,  ///< it was not, as one that was abandoned as slow is not; or it is not told
    ok,         ///< it was, and is right; a wrong one is a failure
};

/// At most eight numbers in addition to the cost, such as joules or bytes. Their names stand once, in
/// `tuning::value_names` and in a log's header, in the same order. NaN: this one was not measured.
///
///     measurement{.cost = 1e-3, .values = {0.25, 4096}};
///
/// Throws: std::invalid_argument for a ninth. Cost: 72 bytes in place, no allocation; a copy is one of bytes.
class measured_values {
public:
    static constexpr std::size_t most = 8;  ///< how many there may be

    constexpr measured_values() = default;
    /// These numbers. Throws std::invalid_argument for a ninth, as the next one does.
    constexpr measured_values(std::initializer_list<double> all) : measured_values(std::span(all.begin(), all.size()))
    {
    }
    /// A copy of these numbers.
    constexpr explicit measured_values(std::span<const double> all)
    {
        if (all.size() > most) invalid("measured_values: more than 8 numbers in addition to the cost, want at most 8");
        for (const double x : all) at_[size_++] = x;
    }

    [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
    /// Number k. Precondition: k < size().
    [[nodiscard]] constexpr double operator[](std::size_t k) const noexcept { return at_[k]; }
    /// The first number; `end` is behind the last one.
    [[nodiscard]] constexpr const double* begin() const noexcept { return at_.data(); }
    [[nodiscard]] constexpr const double* end() const noexcept { return at_.data() + size_; }  ///< see `begin`

    friend bool operator==(const measured_values&, const measured_values&) = default;

private:
    std::array<double, most> at_{};
    std::uint8_t size_ = 0;
};

/// What a kernel reports of one of its runs: its seconds, and further numbers.
///
///     return tk::measure::reported{1e-3, {0.25, 4096}};  // 1 ms, 0.25 J, 4096 bytes
struct reported {
    double cost = std::numeric_limits<double>::quiet_NaN();  ///< seconds of one run, or another cost
    measured_values values{};                                ///< of the last run `measurement::values` has them
};

/// The cost from which on a measurement is one that breaks the limit of an objective (`broken_limit`): no time is that
/// long.
inline constexpr double broken_cost = 1e30;

/// The result of measuring one configuration.
struct measurement {
    double cost = std::numeric_limits<double>::quiet_NaN();  ///< seconds of one run; without meaning if `failed`
    double spread = 0;                ///< seconds; standard error of `cost` as the repetition policy estimates it
    std::uint32_t runs = 0;           ///< timed runs behind `cost`
    bool at_least = false;            ///< cut short: the true cost is not below `cost`
    check_state checked{};            ///< whether its output was compared with a reference
    double build_seconds = 0;         ///< wall seconds of the build; 0 if nothing was built
    double run_seconds = 0;           ///< wall seconds of the candidate's check, warm-up and timing
    std::optional<failure> failed{};  ///< why there is no cost; empty if there is one
    std::vector<double> batches{};    ///< seconds per run of each timed batch, in order
    measured_values values{};         ///< further numbers; only objectives, and races over several goals, see them

    /// Whether `cost` is a verified time of the whole candidate, so that it can be compared and ranked.
    [[nodiscard]] bool ok() const noexcept { return !failed && !at_least; }

    /// Whether it breaks the limit of an objective (`broken_cost`). An objective leaves the cost that was measured
    /// among the values, so a cost alone breaks none, however large it is.
    [[nodiscard]] bool over_limit() const noexcept { return ok() && cost >= broken_cost && values.size() != 0; }

    friend bool operator==(const measurement&, const measurement&) = default;
};

/// What a candidate may take, decided when its run begins: until then it hears of what the others of its task cost.
///
///     abandon_above = min(abandon_above, abandon_factor * cost)
///
/// If `abandon_factor` is finite and `abandon_above` is not, there is no cost to beat yet. A candidate then has
/// three batches of its repetition policy, and what they give is the cost that the next ones have to beat.
struct limits {
    double abandon_above = std::numeric_limits<double>::infinity();  ///< seconds per run; a slower one may be cut short
    double run_seconds = 10;    ///< wall time of one candidate's runs, warm-up and check included
    double build_seconds = 10;  ///< wall time of one candidate's build
    double abandon_factor = std::numeric_limits<double>::infinity();  ///< > 1; +inf: `abandon_above` stays as it is
    /// >= 1; where it is limited, a look at a configuration that was measured before: so many runs at most, without
    /// warm-up or check. One that is not above `abandon_above` ends it. The cost is the least of them.
    std::uint32_t max_runs = (std::numeric_limits<std::uint32_t>::max)();

    /// Whether `max_runs` is limited.
    [[nodiscard]] bool only_looks() const noexcept { return max_runs < (std::numeric_limits<std::uint32_t>::max)(); }

    /// Hears of a measurement of the same task that came before the run began.
    void hear(const measurement& m) noexcept
    {
        if (m.ok() && m.cost > 0) abandon_above = (std::min)(abandon_above, abandon_factor * m.cost);
    }

    friend bool operator==(const limits&, const limits&) = default;
};

/// A configuration and its measurement.
struct trial {
    index candidate = 0;     ///< its index in the space
    measurement measured{};  ///< its cost or its failure
    std::size_t worker = 0;  ///< the worker that measured it
    bool carried = false;    ///< another task's best (`job::carried`), not proposed here

    friend bool operator==(const trial&, const trial&) = default;
};

namespace detail {

/// The first bytes of a measurement. The message and the batches follow.
struct measurement_head {
    double cost = 0, spread = 0, build_seconds = 0, run_seconds = 0;
    std::array<double, measured_values::most> values{};
    std::uint32_t message = 0, batches = 0, runs = 0;  ///< the first two: how many bytes and doubles follow
    std::int32_t code = 0;
    std::uint8_t failed = 0, kind = 0, at_least = 0, checked = 0, value_count = 0;
    std::uint8_t unused[3] = {};

    static constexpr std::size_t most = 65536;  ///< of the message, and of the batches
};
static_assert(sizeof(measurement_head) == 96 + 16 + 8, "every byte is set");

}  // namespace detail

/// The bytes of a measurement, for processes on machines of one kind: 120, the failure's message, the batches. Of a
/// message or batches beyond 65536 only the first are taken; cost and spread come from all of them.
[[nodiscard]] inline std::vector<unsigned char> to_bytes(const measurement& m)
{
    using detail::measurement_head;
    const std::string_view message = m.failed ? std::string_view(m.failed->message) : std::string_view();
    measurement_head h{m.cost, m.spread, m.build_seconds, m.run_seconds};
    std::copy(m.values.begin(), m.values.end(), h.values.begin());
    h.message = static_cast<std::uint32_t>((std::min)(message.size(), h.most));
    h.batches = static_cast<std::uint32_t>((std::min)(m.batches.size(), h.most));
    h.runs = m.runs;
    h.failed = m.failed ? 1 : 0;
    h.kind = m.failed ? static_cast<std::uint8_t>(m.failed->kind) : 0;
    h.code = m.failed ? m.failed->code : 0;
    h.at_least = m.at_least ? 1 : 0;
    h.checked = static_cast<std::uint8_t>(m.checked);
    h.value_count = static_cast<std::uint8_t>(m.values.size());
    std::vector<unsigned char> out(sizeof h + h.message + h.batches * sizeof(double));
    std::memcpy(out.data(), &h, sizeof h);
    if (h.message != 0) std::memcpy(out.data() + sizeof h, message.data(), h.message);
    if (h.batches != 0) std::memcpy(out.data() + sizeof h + h.message, m.batches.data(), h.batches * sizeof(double));
    return out;
}

/// The measurement of `bytes`, which a damaged or hostile process may have sent. Throws tunekit::error, one line, where
/// they are not what `to_bytes` writes.
[[nodiscard]] inline measurement measurement_from(std::span<const unsigned char> bytes)
{
    const auto check = [](bool good, const char* what) {
        if (!good) throw error(std::string("measurement: its bytes ") + what);
    };
    detail::measurement_head h;
    check(bytes.size() >= sizeof h, "end before its numbers do");
    std::memcpy(&h, bytes.data(), sizeof h);
    check(h.message <= h.most && h.batches <= h.most, "claim a longer message or more batches than are ever sent");
    check(bytes.size() == sizeof h + h.message + h.batches * sizeof(double), "are fewer or more than they claim");
    check(failure_kind_of(h.kind).has_value(), "name an unknown kind of failure");
    check(h.value_count <= h.values.size(), "claim more values than a measurement has");
    check(h.failed <= 1 && h.at_least <= 1 && h.checked <= 1, "have another answer than yes and no");
    check(h.failed == 1 || h.message == 0, "have a message without a failure");
    measurement m{.cost = h.cost,
                  .spread = h.spread,
                  .runs = h.runs,
                  .at_least = h.at_least != 0,
                  .checked = static_cast<check_state>(h.checked),
                  .build_seconds = h.build_seconds,
                  .run_seconds = h.run_seconds};
    m.values = measured_values(std::span(h.values).first(h.value_count));
    const unsigned char* const rest = bytes.data() + sizeof h;
    if (h.failed != 0) m.failed = failure{*failure_kind_of(h.kind), h.code, std::string(rest, rest + h.message)};
    m.batches.resize(h.batches);
    if (h.batches != 0) std::memcpy(m.batches.data(), rest + h.message, h.batches * sizeof(double));
    return m;
}

}  // namespace tunekit::measure
