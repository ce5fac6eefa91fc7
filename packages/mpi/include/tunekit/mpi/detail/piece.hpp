// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A job on its way through the ranks, and which workers have lost it or failed with it.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "tunekit/measure/jobs.hpp"
#include "tunekit/mpi/detail/wire.hpp"
#include "tunekit/mpi/messages.hpp"

namespace tunekit::mpi::detail {

/// A job, and what was done for it so far.
struct piece {
    job what{};
    double submitted = 0;
    bool for_pool = false;                   ///< whether it is a job of `alone`, which `collect` does not return
    double build_seconds = 0, before_s = 0;  ///< the seconds of the compiler, and of the ranks that had it before
    std::vector<unsigned char> code{};
    std::optional<std::size_t> built_by{};
    std::vector<std::size_t> failed_on{}, built_badly{};  ///< where it failed, and who built what failed
    std::optional<answer> failed{};                       ///< the last failure, which does not count yet
    duty failed_at = duty::measures;                      ///< where the job failed
};

/// The end of an order: the worker's reply, or none where the order was lost with its worker.
struct ended_order {
    std::size_t worker = 0;
    piece of{};
    std::optional<reply> said{};
};

/// Whether the reply was a build, so that the job must now be run. For other replies, adds the seconds of an earlier
/// build.
[[nodiscard]] inline bool was_built(piece& p, reply& r, duty by)
{
    if (by == duty::builds && r.measured && r.measured->ok()) {
        p.code = std::move(r.code);
        p.build_seconds = r.measured->build_seconds;
        p.before_s += r.ran_s;
        return true;
    }
    if (r.measured) r.measured->build_seconds += p.build_seconds;
    return false;
}

/// The measurement of a reply, or a failure of kind `lost` without one.
[[nodiscard]] inline measure::measurement measured_or_lost(std::optional<reply> r)
{
    if (r && r->measured) return *std::move(r->measured);
    measure::measurement lost;
    lost.failed = measure::failure{measure::failure_kind::lost, 0, "its worker was lost with it"};
    return lost;
}

/// Which workers have lost which jobs.
class losses {
public:
    void note(std::size_t worker, const job& j) { all_.push_back({j.task, j.candidate, worker}); }
    [[nodiscard]] bool by(std::size_t worker, const job& j) const
    {
        return std::any_of(all_.begin(), all_.end(), [&](const loss& l) { return l.worker == worker && of(l, j); });
    }
    /// The workers that lost it, each told once.
    [[nodiscard]] std::vector<std::size_t> take(const job& j)
    {
        std::vector<std::size_t> out;
        for (loss& l : all_)
            if (of(l, j) && !std::exchange(l.told, true)) out.push_back(l.worker);
        return out;
    }

private:
    struct loss {
        std::size_t task = 0;
        index candidate = 0;
        std::size_t worker = 0;
        bool told = false;
    };
    [[nodiscard]] static bool of(const loss& l, const job& j) noexcept
    {
        return l.candidate == j.candidate && l.task == j.task;
    }

    std::vector<loss> all_{};
};

}  // namespace tunekit::mpi::detail
