// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Pools that run the configurations of operators.

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "packages/kernels/operators/operator_task.hpp"
#include "packages/kernels/operators/processors.hpp"
#include "tunekit/processes/build/pipeline.hpp"
#include "tunekit/processes/isolated_workers.hpp"

namespace programs {

/// Workers that run the configurations of `tasks`, each on processors of its own.
inline tunekit::measure::isolated_workers pool_of(const std::vector<operator_task>& tasks, std::size_t workers)
{
    return {workers, [&](std::size_t) {
                std::vector<tunekit::measure::any_worker_task> out;
                for (const auto& t : tasks) out.push_back(t.worker());
                return out;
            }};
}

/// The same where they are compiled before: as many compilers as workers on other processors as far as there are any, or else
/// one that takes time from the workers.
inline tunekit::measure::pipeline<operator_source> pool_of(const std::vector<built_task>& tasks, std::size_t workers)
{
    namespace measure = tunekit::measure;
    const std::size_t all = processors();
    const auto cores = measure::share_cores(workers, (std::min)(workers, all - (std::min)(all, workers)));
    measure::builder compilers({.processes = (std::max)(cores.spared.size(), std::size_t{1}), .cores = cores.spared});
    measure::isolated_workers runners(workers,
                                      [&](std::size_t) {
                                          std::vector<measure::any_worker_task> out;
                                          for (const auto& t : tasks) out.push_back(t.worker(compilers));
                                          return out;
                                      },
                                      {.cores = cores.workers});
    std::vector<operator_source> programs;
    for (const auto& t : tasks) programs.push_back(t.program);
    return {std::move(programs), std::move(compilers), std::move(runners)};
}

}  // namespace programs
