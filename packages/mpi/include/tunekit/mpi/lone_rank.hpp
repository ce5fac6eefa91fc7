// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A measurer on one worker of a pool over ranks.

#include <cstddef>
#include <span>
#include <vector>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/mpi/messages.hpp"

namespace tunekit::mpi {

template <carrier Carrier>
class leased_pool;

/// A measurer on one worker of a pool in which nothing else is out. See leased_pool::alone.
template <carrier Carrier>
class lone_rank {
public:
    /// Measures the batch in its order. A candidate whose worker is lost has failed (`lost`). Throws
    /// std::invalid_argument while jobs are out, and tunekit::error where the worker cannot measure.
    [[nodiscard]] std::vector<measure::measurement> measure(std::span<const index> batch, const measure::limits& within)
    {
        std::vector<measure::measurement> out;
        for (const index i : batch) out.push_back(pool_->measure_alone(worker_, task_, i, within));
        return out;
    }

private:
    friend class leased_pool<Carrier>;
    lone_rank(leased_pool<Carrier>& pool, std::size_t worker, std::size_t task) noexcept
        : pool_(&pool), worker_(worker), task_(task)
    {
    }

    leased_pool<Carrier>* pool_;
    std::size_t worker_, task_;
};

}  // namespace tunekit::mpi
