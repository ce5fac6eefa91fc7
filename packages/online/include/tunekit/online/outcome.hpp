// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What a context has found, and what it knows of its search: all that outlives a process.

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "tunekit/online/detail/account.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::online {

/// The result that a context has settled on, or the best that it knows. Costs are seconds per call.
struct outcome {
    index winner = 0;  ///< the configuration that is used
    /// The best other one that was measured; the default only where nothing else ran, and the winner where there is no
    /// other.
    index runner_up = 0;
    double cost = std::numeric_limits<double>::quiet_NaN();            ///< the winner's; NaN where the context gave up
    double runner_up_cost = std::numeric_limits<double>::quiet_NaN();  ///< the runner-up's; NaN likewise
    double default_cost = std::numeric_limits<double>::quiet_NaN();    ///< the default's; NaN likewise

    friend bool operator==(const outcome&, const outcome&) = default;
};

/// The state of a context, so that another process goes on where this one stopped.
struct progress {
    /// A candidate that was tried.
    struct answer {
        index candidate = 0;                                    ///< which
        double cost = std::numeric_limits<double>::infinity();  ///< seconds per call; infinity: it failed

        friend bool operator==(const answer&, const answer&) = default;
    };

    /// A search that is not over.
    struct unfinished {
        std::uint64_t in_vain = 0;  ///< the last candidates without a better one
        detail::account books{};    ///< the seconds that it spent and may spend; its shares are those of the options
        double slowest[2] = {};     ///< the slowest candidate, near and far, in times of the best one's cost
        std::vector<answer> answers{};  ///< the candidates, in order

        friend bool operator==(const unfinished&, const unfinished&) = default;
    };

    outcome what{};                      ///< the winner; while it is provisional, the best so far
    bool settled = false;                ///< whether that was decided by a race
    bool reopened = false;               ///< whether the context was settled before that, and tuned again
    std::optional<unfinished> search{};  ///< empty where nothing is left to try

    friend bool operator==(const progress&, const progress&) = default;
};

namespace detail {

using answer = progress::answer;
using unfinished = progress::unfinished;

}  // namespace detail
}  // namespace tunekit::online
