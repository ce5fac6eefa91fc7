// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// One run of a command, with limits. Its output is read to the end, and whatever it started ends with it.

#include <sys/types.h>
#include <cstddef>
#include <limits>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/processes/detail/child.hpp"
#include "tunekit/processes/detail/system/counters.hpp"
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
/// descendants. So all children of the process but its starter are the command's, and all can be ended.
///
/// The starter is a fork without the heap, which shares descriptors and working directory with this process. It starts
/// commands as children of this process, in its own small memory: nothing is copied, and a command's memory is told
/// down to the starter's.
class command_runner {
public:
    command_runner();

    /// Reads these counters for each run from now on. Precondition: nothing ran. Throws no_resources.
    void count(std::span<const std::string> counters);

    /// Ends this process and all that it has started, where it was told to end, or its parent is gone.
    void heed();

    /// Runs a command to its end or its limit. Throws no_resources.
    [[nodiscard]] finished_run run(const command_line& what, const command_limits& limits);

private:
    static constexpr double most_cpu_seconds = 1e9;                     ///< a limit above this does not limit
    static constexpr std::size_t room_of_words = std::size_t{1} << 23;  ///< more than an exec takes
    static constexpr double grace = 0.3;                                ///< seconds between SIGTERM and SIGKILL

    /// Starts the command. Returns 0, or errno where it cannot be started.
    int start(const command_line& what, const command_limits& limits, heard_text& output, heard_text& errors);

    /// Has the command that is laid out started, by a new starter where there is none.
    void ask_starter();
    /// Has `command_` as soon as that was started. False where it will not be. `waited`: it should have been by now.
    bool meet_command(bool waited);

    /// The path of a program, looked for in PATH once; the name where there is none, and exec says why.
    [[nodiscard]] const std::string& path_of(const std::string& name);

    struct beginning;
    /// Starts what is laid out, each time a byte comes from `asked`.
    [[noreturn]] static void be_starter(beginning& of, int asked) noexcept;
    /// Becomes the command, in its own process, or says why not. It allocates nothing.
    [[noreturn]] static void begin(beginning& of) noexcept;
    /// Sets the limits, in the command's process, before exec.
    [[nodiscard]] static bool hold(const command_limits& limits);

    void judge(finished_run& out, bool told, const command_limits& limits) const;

    /// Ends what a command left behind.
    void end_leftovers();

    pid_t parent_;
    system::detail::signal_news signals_;
    int no_signals_ = 0;  ///< errno where `signals_` could not be made
    child command_, starter_;
    bool met_ = false;  ///< whether `command_` is the present one
    std::map<std::string, std::string> paths_{};
    beginning* laid_out_ = nullptr;                   ///< as long as this process lives
    descriptor ask_, asked_;                          ///< to and from the starter
    descriptor say_output_, say_errors_, its_input_;  ///< kept until the end, so that an end of output wakes nobody
    descriptor children_;                             ///< the list of this process's children
    std::vector<system::detail::event_counter> counters_{};
    double begun_ = 0;  ///< when the command was started
};

}  // namespace tunekit::measure::detail
