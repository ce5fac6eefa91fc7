// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Worker processes for programs that run threads: the program starts itself again.

#include <concepts>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/processes/isolated_workers.hpp"
#include "tunekit/processes/worker_task.hpp"

namespace tunekit::measure {

namespace detail {

/// Serves with the tasks that `make` returns, where the arguments ask for it; else does nothing.
void serve(int argc, char** argv, task_maker make);

}  // namespace detail

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
    detail::serve(argc, argv, detail::task_maker::of(make));
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
[[nodiscard]] isolated_workers served_workers(std::size_t n, std::vector<task_identity> tasks,
                                              isolated_workers::program_options options = {});

/// The same for one space.
template <class Space>
[[nodiscard]] isolated_workers served_workers(std::size_t n, const Space& space,
                                              isolated_workers::program_options options = {})
    requires(!std::convertible_to<const Space&, std::vector<task_identity>>)
{
    return served_workers(n, std::vector<task_identity>{identity_of(space)}, std::move(options));
}

}  // namespace tunekit::measure
