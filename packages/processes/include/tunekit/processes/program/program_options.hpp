// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Options of `program`: its command, its cost, and its limits.

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/measure/any_repetition.hpp"
#include "tunekit/measure/timed_options.hpp"
#include "tunekit/measure/until_confident.hpp"
#include "tunekit/processes/program/finished_run.hpp"

namespace tunekit::measure {

/// Settings of `program`. Texts with a star may have placeholders: `{name}` of a parameter; `{scratch}`, a folder of
/// this worker that is empty before each configuration; `{build}`, the folder of the build (see `text_template`).
struct program_options {
    /// A number of a run: a member of finished_run, or any callable that takes it from one. As a cost it must be
    /// positive and finite.
    ///
    ///     program_options{.command = {"./stencil"}, .cost = &finished_run::cpu_seconds}
    using reading = detail::of_run<double>;

    /// A file that is written for each configuration: the text of `from` with its placeholders filled in.
    struct file {
        std::string from;  ///< path of the file with placeholders; it is read once, when the `program` is made
        std::string to;    ///< path of the file that is written; may have placeholders
    };

    /// A named number that is kept with the cost.
    struct number {
        std::string name;                           ///< how logs and tables call the number
        reading read{&finished_run::wall_seconds};  ///< takes the number from a finished run
        /// * where not empty: the number is the size of this file after the run, in bytes, and `read` is unused
        std::string size_of{};
    };

    /// The command that is run for one configuration, with all placeholders filled in.
    struct filled {
        std::vector<std::string> arguments;  ///< the program and its arguments
        std::vector<std::pair<std::string, std::string>>
            environment;                 ///< names and values, in addition to the present ones
        std::string directory;           ///< where it runs; empty: where this process runs
        std::vector<std::string> build;  ///< the program that builds, and its arguments; empty: nothing is built
    };

    /// A check of a run: empty where the run is right, else one line that says what is wrong.
    using run_check = detail::of_run<std::optional<std::string>>;

    /// * program and arguments. Here, and in each other command, one text that begins with `sh:` is run by `sh -c`
    ///   instead: there
    /// a placeholder becomes one word in quotes, and must not stand in others.
    std::vector<std::string> command;
    std::vector<std::pair<std::string, std::string>>
        environment{};                 ///< name and * value, in addition to the present variables
    std::string directory{};           ///< * where it runs; empty: where this process runs
    std::vector<file> files{};         ///< written before the run; files in {build} are a part of the build
    std::vector<std::string> build{};  ///< * runs first, once for the same arguments and files; status 0 is success
    /// Where builds are kept; empty: a folder that is removed with the `program`. Nobody else may write to it. What
    /// lies in it and is not what an earlier run built there is built again.
    std::string build_directory{};
    /// Whether what was built there before this `program` was made is built again: for a build that reads what it does
    /// not name.
    bool rebuild = false;
    /// * run before the first run of a configuration, before each of its runs, and when they are over; status 0 is
    ///   success
    std::vector<std::string> setup{}, prepare{}, cleanup{};
    double aside_seconds = 300;  ///< > 0; the limit of each of these
    /// Whether the setup and the warm-up of a configuration stand for all of its measurements, one at a time: they
    /// happen before the first, {scratch} stays, and the cleanup is left to `program::clean_up`.
    bool set_up_once = false;
    std::size_t warmup = 0;         ///< runs before those that are measured
    std::string input{};            ///< * the file that it reads as its standard input; empty: the null device
    std::string result_file{};      ///< * the file with its numbers; empty: its output has them
    std::optional<reading> cost{};  ///< takes the cost from a run; empty: the wall time of the run
    std::vector<number> numbers{};  ///< of the first run, as measurement::values: at most 8, no part of the cost
    /// Folder with the counters for finished_run::joules, energy_counter::usual; empty: energy is not read.
    std::string powercap{};
    /// Counters of the processor or the kernel that are read for each run, as finished_run::counts: instructions,
    /// cycles, branches, branch-misses, cache-references, cache-misses, page-faults, context-switches. Those of user
    /// mode, but for the last; those of processes that it started, too.
    std::vector<std::string> counters{};
    int exit_status = 0;                       ///< that of a successful run
    bool any_status = false;                   ///< whether any other is one, too
    std::optional<run_check> check{};          ///< checks a run of a configuration; empty: nothing is checked
    std::vector<std::string> check_command{};  ///< * runs after that run; status 0: the result is right
    /// Which configurations are checked: those of which a run is not above limits::abandon_above, or all after their
    /// first run.
    measure::check checks = measure::check::could_win;
    /// The repetition policy. The default makes at least three runs and at most ten, until the standard error is 2 % of
    /// the mean. The cost is their median.
    any_repetition repetition{until_confident{.standard_error = 0.02, .group = 1, .min_groups = 3, .max_runs = 10}};
    /// Whether a configuration that has no cost to beat yet has all of its runs, in place of three batches of them.
    bool whole_first = false;
    double cpu_seconds =
        std::numeric_limits<double>::infinity();  ///< > 0; processor time of each of its processes, in whole seconds
    std::size_t memory_bytes = 0;                 ///< address space that each of its processes may have; 0: no limit
    /// >= 1; the bytes kept of the output and of the errors, and so searched for numbers: of a longer text the first
    /// and the last half. Of a longer result file the beginning is kept. A worker that hears more of each has 2.5 times
    /// as much.
    std::size_t output_bytes = std::size_t{1} << 26;
    std::size_t workers = 1;   ///< >= 1; configurations that run at a time
    std::size_t builders = 0;  ///< configurations that are built while others run; 0: a worker builds before it runs
    bool keep_empty = false;   ///< whether an argument that is one placeholder with an empty value stays an argument
    bool pinned = true;        ///< whether several workers and builders have processors of their own

    /// Whether something runs beside the runs of a configuration.
    [[nodiscard]] bool runs_aside() const noexcept { return !setup.empty() || !prepare.empty() || !cleanup.empty(); }

    /// Checks the settings. Throws std::invalid_argument where a setting is out of range.
    void validate() const;
};

}  // namespace tunekit::measure
