// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// One run of a command, with limits. Its output is read to the end, and whatever it started ends with it.

#include <sys/types.h>
#include <cstddef>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>

#include "tunekit/core/error.hpp"
#include "tunekit/processes/detail/child.hpp"
#include "tunekit/processes/detail/system/processes.hpp"
#include "tunekit/processes/program/finished_run.hpp"

namespace tunekit::measure::detail {

/// The error that the system has no resources for a run. It is not the command's fault, and the next run would fail
/// too.
struct no_resources : std::runtime_error {
    no_resources(const std::string& what, int why);
    explicit no_resources(const error& why);
};

/// The limits of a run.
struct command_limits {
    double wall_seconds = std::numeric_limits<double>::infinity();
    double cpu_seconds = std::numeric_limits<double>::infinity();  ///< of each of its processes
    std::size_t memory_bytes = 0;                     ///< address space of each of its processes; 0: no limit
    std::size_t output_bytes = std::size_t{1} << 26;  ///< kept of each text
};

/// Runs commands, one after another. It needs a process that does nothing else, and that process inherits orphaned
/// descendants. So all children of the process are the command's, and all can be ended.
class command_runner {
public:
    command_runner();

    /// Ends this process and all that it has started, where it was told to end, or its parent is gone.
    void heed();

    /// Runs a command to its end or its limit. Throws no_resources.
    [[nodiscard]] finished_run run(const command_line& what, const command_limits& limits);

private:
    static constexpr double most_cpu_seconds = 1e9;  ///< a limit above this does not limit
    static constexpr double grace = 0.3;             ///< seconds between SIGTERM and SIGKILL

    /// Starts the command. Returns 0, or errno where it cannot be started.
    int start(const command_line& what, const command_limits& limits, heard_text& output, heard_text& errors);

    /// The path of a program, looked for in PATH once; the name where there is none, and exec says why.
    [[nodiscard]] const std::string& path_of(const std::string& name);

    struct beginning;
    /// What the command's process says of itself, in memory that both see: nobody has to wake to hear it.
    struct note {
        int why = 0;       ///< errno, where it did not become the command
        double begun = 0;  ///< when it was about to become it; 0: it did not come so far
        rusage used{};     ///< what it had used before that
    };
    /// Becomes the command, in its own process, or says why not. It allocates nothing.
    [[noreturn]] static void begin(const beginning& of) noexcept;
    /// Sets the limits, in the command's process, before exec.
    [[nodiscard]] static bool hold(const command_limits& limits);

    void judge(finished_run& out, bool told, const command_limits& limits) const;

    pid_t parent_;
    system::detail::signal_news signals_;
    int no_signals_ = 0;  ///< errno where `signals_` could not be made
    child command_;
    std::map<std::string, std::string> paths_{};
    note* told_ = nullptr;                ///< as long as this process lives
    descriptor say_output_, say_errors_;  ///< kept until the end, so that an end of output wakes nobody
    double begun_ = 0;                    ///< when the command was started
};

}  // namespace tunekit::measure::detail
