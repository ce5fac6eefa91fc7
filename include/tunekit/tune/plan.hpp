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
    tuning record;            ///< its trials and incumbent; its seconds are those that workers spent on the task
    std::uint64_t slots = 0;  ///< the number of slots that it was given
};

/// One slot that a task was given.
struct slot_record {
    std::size_t task = 0;      ///< the position of the task
    double ended = 0;          ///< seconds since the start of the run
    double model_latency = 0;  ///< sum over tasks of weight * best cost at its end; +inf while a task has none
};

/// The result of `tune_tasks`.
struct plan {
    std::vector<task_plan> tasks;                ///< in declaration order
    std::vector<slot_record> slots;              ///< the slots that have ended, in the order of their ends
    double seconds = 0;                          ///< the seconds of the run, by its clock
    stop_reason stopped = stop_reason::running;  ///< why the run ended
};

/// The seconds of one pass of the model with the incumbents: sum of weight * best cost; +inf while a task has none.
[[nodiscard]] inline double model_latency(std::span<const task> tasks, const plan& p)
{
    double sum = 0;
    for (std::size_t k = 0; k < tasks.size(); ++k) sum += tasks[k].weight() * p.tasks[k].record.best_cost();
    return sum;
}

}  // namespace tunekit
