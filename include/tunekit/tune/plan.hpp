// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The result of a run over several tasks.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tunekit/tune/task.hpp"
#include "tunekit/tune/tuning.hpp"

namespace tunekit {

/// The result of `tune_tasks` for one task.
struct task_plan {
    tuning record;  ///< its seconds are those that workers spent on the task
    std::uint64_t slots = 0;
};

/// One slot that a task was given.
struct slot_record {
    std::size_t task = 0;
    double ended = 0;          ///< seconds since the start of the run
    double model_latency = 0;  ///< sum over tasks of weight * best cost at its end; +inf while a task has none
};

/// The result of `tune_tasks`.
struct plan {
    std::vector<task_plan> tasks;  ///< in declaration order
    std::vector<slot_record> slots;
    double seconds = 0;
    stop_reason stopped = stop_reason::running;
};

/// The seconds of one pass of the model with the incumbents: sum of weight * best cost; +inf while a task has none.
[[nodiscard]] inline double model_latency(std::span<const task> tasks, const plan& p)
{
    double sum = 0;
    for (std::size_t k = 0; k < tasks.size(); ++k) sum += tasks[k].weight() * p.tasks[k].record.best_cost();
    return sum;
}

}  // namespace tunekit
