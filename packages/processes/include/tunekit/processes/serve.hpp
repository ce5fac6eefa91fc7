// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Worker processes for programs that run threads: the program starts itself again.

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/processes/detail/spawned_zygote.hpp"
#include "tunekit/processes/isolated_workers.hpp"
#include "tunekit/processes/worker_task.hpp"

namespace tunekit::measure {

/// Serves as a worker and does not return, where this process was started as one; else does nothing.
///
///     int main(int argc, char** argv)
///     {
///         tk::measure::serve(argc, argv, [](std::size_t) { return tk::measure::worker_task{space, timed{kernel}}; });
///         ...                                          // the application, with threads, device contexts and all
///         auto pool = tk::measure::served_workers(4, space);
///     }
///
/// Call it first in main, before any threads: a worker is forked from here. `make(worker)` is that of
/// `isolated_workers`. A closure cannot be sent to another program. So the worker's tasks are made again, by the
/// program's own code and from its arguments, argv[3] and further. Spaces must be those that the pool names; their
/// fingerprints are compared. An exception of `make` is sent to the pool, which throws it as tunekit::error.
template <makes_worker_tasks Make>
void serve(int argc, char** argv, Make make)
{
    if (argc < 3 || std::strcmp(argv[1], detail::serve_mark) != 0) return;
    const detail::worker_hold hold = detail::hear_setup();
    try {
        auto tasks = detail::tasks_of(make, static_cast<std::size_t>(std::strtoul(argv[2], nullptr, 10)));
        std::vector<task_identity> identities;
        std::vector<canary> canaries;
        for (const any_worker_task& t : tasks) {
            identities.push_back(t.identity());
            canaries.insert(canaries.end(), t.canaries().begin(), t.canaries().end());
        }
        detail::serve_tasks({&tasks, detail::measure_task}, identities, canaries, hold);
    } catch (const std::exception& e) {
        detail::refuse_to_serve(e.what());
    }
}

/// Settings of `served_workers`.
struct isolated_workers::program_options {
    options workers{};                       ///< the settings of the pool: memory, processors, enclosure
    std::string program = "/proc/self/exe";  ///< the program that is started; its main calls `serve`
    std::vector<std::string> arguments{};    ///< further arguments, after those that ask it to serve
    double start_seconds = 30;               ///< seconds within which each worker must have made its tasks
};

/// A pool of workers that are programs of their own. It is `isolated_workers` for processes that run threads.
///
/// `tasks` are the spaces of the pool, in the order of job::task, each as `identity_of(space)`. Canaries are checked by
/// the workers and by the process that forks them, because this process does not have their pages.
///
/// Throws:     tunekit::error where a program cannot be started, does not serve in time, was built with another
///             version, or has other spaces; std::invalid_argument as `isolated_workers`.
/// Cost:       n programs are started, and run their `make`, at the same time; then that of `isolated_workers`.
/// Threads:    one at a time.
[[nodiscard]] inline isolated_workers served_workers(std::size_t n, std::vector<task_identity> tasks,
                                                     isolated_workers::program_options options = {})
{
    return isolated_workers(n,
                            detail::served_program{std::move(options.program), std::move(options.arguments),
                                                   std::move(tasks), options.start_seconds},
                            options.workers);
}

/// The same for one space.
template <class Space>
[[nodiscard]] isolated_workers served_workers(std::size_t n, const Space& space,
                                              isolated_workers::program_options options = {})
    requires(!std::convertible_to<const Space&, std::vector<task_identity>>)
{
    return served_workers(n, std::vector<task_identity>{identity_of(space)}, std::move(options));
}

}  // namespace tunekit::measure
