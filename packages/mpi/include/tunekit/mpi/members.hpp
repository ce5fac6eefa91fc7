// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The settings of a pool over ranks, the state of each rank, and the A/A check between ranks.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/measure/measurement.hpp"
#include "tunekit/mpi/detail/quarantine.hpp"
#include "tunekit/mpi/detail/wire.hpp"
#include "tunekit/mpi/messages.hpp"
#include "tunekit/processes/worker_task.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/stats/interval.hpp"
#include "tunekit/stats/moments.hpp"
#include "tunekit/stats/student_t.hpp"

namespace tunekit::mpi {

/// Settings of `leased_pool`, and so of `mpi::pool`.
struct leased_options {
    /// A reference configuration that every worker measures when it joins, before anything else.
    struct reference_job {
        std::size_t task = 0;      ///< the position of its task in those of the pool
        index candidate = 0;       ///< the configuration, in the space of that task
        std::size_t rounds = 5;    ///< >= 2; how often each worker measures it
        measure::limits within{};  ///< the limits of each measurement
    };

    /// >= 0; the margin of a job's lease. The lease begins when the job is begun. It lasts for the job's limit for
    /// builds, twice its limit for runs (a failure may be repeated once in a fresh process), and this many seconds. A
    /// rank that only builds, or only runs, has the limit of that duty.
    double margin_seconds = 5;
    double begin_seconds = 30;  ///< > 0; the time in which a worker must begin what it was sent
    double join_seconds = 60;   ///< > 0; the time with no worker that can measure, after which `collect` throws
    /// The configuration of the A/A check; none: workers are not compared. A worker on which it fails is taken out.
    std::optional<reference_job> reference{};

    /// A worker is taken out whose interval of costs of the reference, divided by those of its median neighbour of the
    /// same device, lies above.
    static constexpr double slow_above = 2;
    /// Without a reference, the configurations that fail in a row, none measured before, after which `collect` throws.
    static constexpr std::uint64_t give_up_after = 300;
};

/// What is known of a worker.
struct member {
    /// What a worker does.
    enum class state : std::uint8_t {
        absent,     ///< it has said nothing yet
        checking,   ///< it measures the reference
        idle,       ///< it waits for an order
        busy,       ///< it has an order
        silent,     ///< its lease has expired, see `why`; it is back as soon as it answers
        refused,    ///< it has another version, build or other spaces, see `why`
        taken_out,  ///< it is sick: candidates or the reference fail on it alone, or it is slow, see `why`
        gone,       ///< it has ended or cannot be reached, see `why`
    };

    state at = state::absent;              ///< what it does now
    detail::greeting who{};                ///< what it said of itself; the defaults before it said hello
    std::string why{};                     ///< the reason why it is silent, refused, taken out or gone; empty otherwise
    std::vector<double> reference{};       ///< its costs of the reference, seconds
    std::uint64_t answered = 0, lost = 0;  ///< the numbers of orders that it answered, and that were lost with it
};

namespace detail {

/// The cost of one configuration on a worker (`mine`), divided by its cost on another (`theirs`). It is the ratio of
/// geometric means, with Welch's interval of the difference of the mean logarithms,
///
///     exp(d -+ t(level, nu) sqrt(s1^2 / n1 + s2^2 / n2)),   d = mean log mine - mean log theirs,
///
/// with nu by Welch and Satterthwaite. None for fewer than two costs on either side.
///
/// Assumes: independent costs, whose logarithms are close enough to normal. What lasts as long as a worker lives, such
///          as the place of its pages in memory, is part of the ratio.
/// Source:  B. L. Welch, Biometrika 34 (1947).
/// Errors:  std::invalid_argument for a cost that is not positive and finite, and for a level outside (0, 1).
[[nodiscard]] inline std::optional<worker_about::ratio> compared(std::span<const double> mine,
                                                                 std::span<const double> theirs, double level = 0.95)
{
    stats::require_level(level);
    if (mine.size() < 2 || theirs.size() < 2) return std::nullopt;
    const auto logs = [](std::span<const double> x) {
        std::vector<double> out;
        for (const double v : x) {
            require(v > 0 && v < std::numeric_limits<double>::infinity(),
                    "mpi.compared: a cost is not positive and finite, want seconds");
            out.push_back(std::log(v));
        }
        return out;
    };
    const std::vector<double> a = logs(mine), b = logs(theirs);
    const double n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
    const double va = stats::sample_variance(a) / n, vb = stats::sample_variance(b) / m;
    const double d = stats::mean(a) - stats::mean(b);
    if (va + vb <= 0) return worker_about::ratio{std::exp(d), std::exp(d), std::exp(d)};
    const double nu = (va + vb) * (va + vb) / (va * va / (n - 1) + vb * vb / (m - 1));
    const double half = stats::student_t_quantile(0.5 + level / 2, nu) * std::sqrt(va + vb);
    return worker_about::ratio{std::exp(d), std::exp(d - half), std::exp(d + half)};
}

/// Throws std::invalid_argument unless a pool can be made of these.
inline void validate(const leased_options& o, std::size_t workers, std::size_t tasks)
{
    require(workers > 0, "mpi.pool: no worker, want one rank or more that measures");
    require(tasks > 0, "mpi.pool: no task, want one or more");
    require(o.margin_seconds >= 0 && o.begin_seconds > 0 && o.join_seconds > 0,
            "mpi.pool: seconds are out of range, want margin_seconds >= 0, begin_seconds > 0, join_seconds > 0");
    if (o.reference)
        require(o.reference->rounds >= 2 && o.reference->task < tasks,
                "mpi.pool: the reference is out of range, want rounds >= 2 and one of the tasks");
}

/// The seconds that a worker of this duty may take for a job that it has begun.
[[nodiscard]] inline double lease_seconds(const measure::limits& within, duty does, double margin)
{
    return (does != duty::runs ? within.build_seconds : 0) + (does != duty::builds ? 2 * within.run_seconds : 0) +
           margin;
}

/// The reason why a greeting is refused by a pool with these tasks and this build; empty where it is accepted.
[[nodiscard]] inline std::string refusal(const std::optional<greeting>& g,
                                         const std::vector<measure::task_identity>& tasks, const std::string& build)
{
    if (!g) return "says hello in words that are unknown here";
    if (g->protocol != greeting::current || g->version != core::version_text())
        return "runs tunekit " + g->version + ", not " + core::version_text();
    if (!g->build.empty() && !build.empty() && g->build != build)
        return "is another build of the program, " + g->build + ", not " + build +
               "; want one binary on all machines, or the same serve_options::build";
    const auto differs = [](const std::string& what, std::uint64_t theirs, std::uint64_t ours) {
        return "has other spaces: " + what + ' ' + std::to_string(theirs) + ", not " + std::to_string(ours);
    };
    if (g->tasks.size() != tasks.size()) return differs("their number is", g->tasks.size(), tasks.size());
    for (std::size_t k = 0; k < tasks.size(); ++k) {
        const std::string which = "of task " + std::to_string(k) + " the ";
        if (g->tasks[k].size != tasks[k].size) return differs(which + "size is", g->tasks[k].size, tasks[k].size);
        if (g->tasks[k] != tasks[k])
            return differs(which + "fingerprint is", g->tasks[k].fingerprint, tasks[k].fingerprint);
    }
    return {};
}

/// What a worker does, as text for a person.
[[nodiscard]] inline std::string what_of(const member& m)
{
    switch (m.at) {
        case member::state::absent:
            return "has not joined";
        case member::state::silent:
        case member::state::refused:
        case member::state::taken_out:
        case member::state::gone:
            return m.why;
        case member::state::checking:
        case member::state::idle:
        case member::state::busy:
            break;
    }
    return m.who.duty == duty::builds ? "builds" : "measures";
}

/// A worker for a person: its number and, where it is known, its host.
[[nodiscard]] inline std::string named(const member& m, std::size_t w)
{
    return std::to_string(w) + (m.who.host.empty() ? "" : " on " + m.who.host);
}

[[nodiscard]] inline std::string text_of(const measure::failure& f)
{
    return to_text(f.kind) + (f.message.empty() ? "" : ": " + f.message);
}

/// Why a measurement of the reference says nothing of its worker's speed; empty where it does.
[[nodiscard]] inline std::string no_cost(const std::optional<measure::measurement>& m)
{
    if (!m) return "lost with its process";
    if (m->failed) return text_of(*m->failed);
    if (m->at_least) return "abandoned as too slow";
    const bool sound = m->cost > 0 && m->cost < std::numeric_limits<double>::infinity();
    return sound ? "" : "its cost is " + core::text_of(m->cost) + ", want positive and finite seconds";
}

[[nodiscard]] inline std::string why_nobody(const std::vector<member>& members)
{
    std::string out = "no worker can measure";
    for (std::size_t w = 0; w < members.size() && w < 4; ++w)
        out += (w == 0 ? "; worker " : ", worker ") + named(members[w], w) + ' ' + what_of(members[w]);
    return out + (members.size() > 4 ? ", ..." : "");
}

}  // namespace detail
}  // namespace tunekit::mpi
