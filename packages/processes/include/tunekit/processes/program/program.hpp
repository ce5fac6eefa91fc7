// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A measurer for a program with a command line: no shell, no leftovers, any cost.

#include "tunekit/processes/detail/needs_forks.hpp"  // first: it says what is wanted where a system forks nothing

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/processes/detail/owned.hpp"
#include "tunekit/processes/program/program_options.hpp"
#include "tunekit/space/any_space.hpp"

namespace tunekit::measure {

/// Measures the configurations of `space` by running a program. It is a measurer, and with several workers a pool.
///
///     tk::space::value_product space({{"tile", {16, 32, 64}}, {"threads", {1, 2, 4}}}, {});
///     tk::measure::program run(space, {.command = {"./stencil", "--tile={tile}"},
///                                      .environment = {{"OMP_NUM_THREADS", "{threads}"}},
///                                      .cost = tk::measure::matched("elapsed: ([0-9.]+)")});
///     auto found = tk::tune(space, run, tk::recipes::combined(), {.trials = 100}, gen);
///
/// With `builders`, configurations are built in processes of their own while others run. They then wait until a worker
/// is free. So the compiler and the program do not wait for each other.
///
/// A configuration is measured in a process of its own. It writes the files, builds, and starts the program as often as
/// the repetition says. Each run has a process group of its own in its worker's session, the null device as its input
/// and no terminal. What a run leaves behind, daemons included, ends before the next run begins. All of it ends with
/// this process. Where the cost is wall time, a run that is longer than limits::abandon_above is ended, and three such
/// runs cut the configuration short.
///
/// Costs are positive finite numbers of any unit: strategies take their logarithm. Report exp(x) for a number x that
/// may be 0 or less, and 1/x for one that should grow.
///
/// Failures:   invalid (cannot be started, a file cannot be written), build_error, build_timeout, crash, exited,
///             run_timeout (wall or processor time), wrong_result, bad_cost (no number, two, or none that is a cost),
///             lost (the process that ran it was ended).
/// Throws:     std::invalid_argument for a placeholder that names nothing, settings out of range, or files that several
///             workers would share; tunekit::error where the program does not exist, others can write to the folder of
///             builds, this process runs other threads, or the system gives no process, no descriptor, or no room on
///             the disk of a folder. That is held against no configuration.
/// Cost:       three forks per configuration; a run is timed from its exec on, and started by the last of them, which
///             is small, without a copy of its pages.
/// Threads:    one at a time, in a process without other threads.
/// Limits:     cpu_seconds and memory_bytes limit each process of a program, not their sum. A program that ends the
///             process that runs it is ended too, with its daemons; these stay only where it ends that process's parent
///             as well.
class program {
public:
    /// Checks the settings, finds the program, and makes a temporary folder in TMPDIR or /tmp. Starts nothing. Throws
    /// as said above.
    program(space::any_space space, program_options options);
    program(const program&) = delete;
    program& operator=(const program&) = delete;

    /// Ends the processes that run.
    ~program();

    /// The parameters that occur in no argument, variable or file. They have no effect, and were most likely forgotten.
    [[nodiscard]] std::vector<std::string> unused() const;

    /// The command for a configuration, with these folders in place of {scratch} and {build}. Nothing is run.
    [[nodiscard]] program_options::filled command_of(index i, const std::string& scratch = ".",
                                                     const std::string& build = ".") const;

    /// The folder of the builds. Another `program` with this folder as its build_directory finds what was built.
    [[nodiscard]] const std::string& builds() const noexcept;

    /// Whether its cost is the wall or the processor time of a run, and no number that the program reports.
    [[nodiscard]] bool measures_time() const noexcept;

    /// How often the cleanup of a configuration failed. That costs no result.
    [[nodiscard]] std::uint64_t failed_cleanups() const noexcept;
    /// Why the first of them failed; else empty.
    [[nodiscard]] const std::string& failed_cleanup() const noexcept;
    /// Cleans up what program_options::set_up_once has left set up. Jobs that are out are ended.
    void clean_up();

    /// From this moment of `now()` on, a configuration that has a run is not run again: what began before has one run
    /// at least, and the budget of a run is kept to one run more.
    void repeat_until(double moment) noexcept;

    // As a measurer: one after another.

    /// Measures the batch in its order. Precondition: no job is out.
    [[nodiscard]] std::vector<measurement> measure(std::span<const index> batch, const limits& within)
    {
        return detail::collected(*this, batch, within);
    }
    /// The same, with `each(measurement)` as soon as a candidate is measured.
    template <class Each>
    void measure(std::span<const index> batch, const limits& within, Each&& each)
    {
        require_idle();
        for (const index i : batch) each(measure_one(i, within));
    }

    // As a pool.

    [[nodiscard]] std::size_t workers() const noexcept;
    /// The number of jobs that may be submitted now: workers and builders, less the jobs that are out.
    [[nodiscard]] std::size_t room() const noexcept;
    /// Seconds since it was built.
    [[nodiscard]] double now() const noexcept;

    /// Submits a job, which begins at once where a place is free. Throws std::invalid_argument where there is no room
    /// or no such configuration, and tunekit::error where this process runs other threads or no process can be forked.
    void submit(const job& next);

    /// The answers known so far; it waits for the first one for at most `seconds`, and not at all where no job is out.
    /// Throws tunekit::error where the system has no resources for a job.
    [[nodiscard]] std::vector<answer> collect(double seconds);

private:
    void require_idle() const;
    measurement measure_one(index candidate, const limits& within);

    struct state;
    [[nodiscard]] state& its() const noexcept;
    detail::owned state_;
};

/// The parameters of `names` that occur in no argument, variable or file of a program. Begins nothing. Errors: those of
/// `program` for what can be known before a run, such as that it is not there.
[[nodiscard]] std::vector<std::string> unused_parameters(std::span<const std::string> names,
                                                         const program_options& options);

}  // namespace tunekit::measure
