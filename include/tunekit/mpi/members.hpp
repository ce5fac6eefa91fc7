// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The settings of a pool over ranks, and the state of each rank.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/worker_task.hpp"
#include "tunekit/mpi/messages.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/version.hpp"

namespace tunekit::mpi {

/// A reference configuration that every worker measures when it joins, before anything else.
struct reference_job {
    std::size_t task = 0;
    index candidate = 0;
    std::size_t rounds = 5;  ///< >= 2
    measure::limits within{};
};

/// Settings of `leased_pool`, and so of `mpi::pool`.
struct leased_options {
    /// The margin of a job's lease. The lease runs from the moment at which the job was begun: its limit for builds,
    /// twice its limit for runs (a failure may be repeated once in a fresh process), and this many seconds more. A rank
    /// that only builds, or only runs, has the limit of that.
    double margin_seconds = 5;
    double begin_seconds = 30;  ///< the time in which a worker must begin what it was sent
    double join_seconds = 60;   ///< the time with no worker that can measure, after which `collect` throws
    std::optional<reference_job> reference{};  ///< the A/A check; none: workers are not compared
};

/// The state of a worker.
struct member {
    enum class state : std::uint8_t {
        absent,    ///< has said nothing yet
        checking,  ///< measures the reference
        idle,
        busy,
        silent,   ///< its lease has expired; back as soon as it answers
        refused,  ///< of another version, or with other spaces: `why`
        gone,     ///< `why`
    };

    state at = state::absent;
    greeting who{};
    std::string why{};
    std::vector<double> reference{};  ///< costs of the reference, seconds
    std::uint64_t answered = 0, lost = 0;
};

namespace detail {

/// Throws std::invalid_argument where a pool cannot be made of these.
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

/// How long a worker of this part may take for a job that it has begun.
[[nodiscard]] inline double lease_seconds(const measure::limits& within, part does, double margin)
{
    return (does != part::runs ? within.build_seconds : 0) + (does != part::builds ? 2 * within.run_seconds : 0) +
           margin;
}

[[nodiscard]] inline std::string version_text()
{
    return std::to_string(TUNEKIT_VERSION_MAJOR) + '.' + std::to_string(TUNEKIT_VERSION_MINOR) + '.' +
           std::to_string(TUNEKIT_VERSION_PATCH);
}

/// Why a greeting is not taken; empty where it is.
[[nodiscard]] inline std::string refusal(const std::optional<greeting>& g,
                                         const std::vector<measure::task_identity>& tasks)
{
    if (!g) return "says hello in words that are unknown here";
    if (g->protocol != greeting::current || g->version != version_text())
        return "runs tunekit " + g->version + ", not " + version_text();
    if (g->tasks != tasks) return "has other spaces: their number, a size or a fingerprint differs";
    return {};
}

/// What a worker does, for a person.
[[nodiscard]] inline std::string what_of(const member& m)
{
    switch (m.at) {
        case member::state::absent:
            return "has not joined";
        case member::state::silent:
            return "does not answer";
        case member::state::refused:
        case member::state::gone:
            return m.why;
        case member::state::checking:
        case member::state::idle:
        case member::state::busy:
            break;
    }
    return m.who.part == part::builds ? "builds" : "measures";
}

[[nodiscard]] inline std::string why_nobody(const std::vector<member>& members)
{
    std::string out = "no worker can measure";
    for (std::size_t w = 0; w < members.size() && w < 4; ++w)
        out += (w == 0 ? "; worker " : ", worker ") + std::to_string(w) + ' ' + what_of(members[w]);
    return out + (members.size() > 4 ? ", ..." : "");
}

}  // namespace detail
}  // namespace tunekit::mpi
