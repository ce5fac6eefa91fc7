// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The settings of a pool over ranks, and the state of each rank.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tunekit/measure/concepts.hpp"
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
    /// twice its limit for runs (a failure may be repeated once in a fresh process), and this many seconds more.
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

[[nodiscard]] inline std::string version_text()
{
    return std::to_string(TUNEKIT_VERSION_MAJOR) + '.' + std::to_string(TUNEKIT_VERSION_MINOR) + '.' +
           std::to_string(TUNEKIT_VERSION_PATCH);
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
    return "measures";
}

}  // namespace detail
}  // namespace tunekit::mpi
