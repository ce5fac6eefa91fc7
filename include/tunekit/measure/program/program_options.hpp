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

#include "tunekit/core/error.hpp"
#include "tunekit/measure/any_repetition.hpp"
#include "tunekit/measure/program/finished_run.hpp"
#include "tunekit/measure/until_confident.hpp"

namespace tunekit::measure {

/// A file that is written for each configuration: the text of `from` with its placeholders filled in.
struct template_file {
    std::string from;
    std::string to;  ///< may have placeholders
};

/// A named number that is kept with the cost.
struct named_reading {
    std::string name;
    reading read;
};

/// Settings of `program`. Texts with a star may have placeholders: `{name}` of a parameter; `{scratch}`, a folder of
/// this worker that is empty before each configuration; `{build}`, the folder of the build (see `text_template`).
struct program_options {
    std::vector<std::string> command;  ///< * program and arguments
    std::vector<std::pair<std::string, std::string>>
        environment{};                   ///< name and * value, in addition to the present variables
    std::string directory{};             ///< * where it runs; empty: where this process is
    std::vector<template_file> files{};  ///< written before the run; in {build}: part of the build
    std::vector<std::string> build{};    ///< * run first, once for the same arguments and files; 0 is success
    std::string build_directory{};       ///< where builds are kept; empty: until the program is forgotten
    std::string result_file{};           ///< * the file with its numbers; empty: its output has them
    std::optional<reading> cost{};       ///< none: the wall time of a run
    std::vector<named_reading> numbers{};
    int exit_status = 0;                       ///< of a successful run
    std::optional<run_check> check{};          ///< of the first run of a configuration
    std::vector<std::string> check_command{};  ///< * run after it; 0: the result is right
    /// The repetition policy. Three runs at least, ten at most, until the standard error is 2 % of the mean; the cost
    /// is their median.
    any_repetition repetition{until_confident{.standard_error = 0.02, .group = 1, .min_groups = 3, .max_runs = 10}};
    double cpu_seconds =
        std::numeric_limits<double>::infinity();  ///< processor time of each of its processes; whole seconds
    std::size_t memory_bytes = 0;                 ///< address space that each of its processes may have; 0: any
    std::size_t output_bytes = std::size_t{1}
                               << 20;  ///< kept of its output; of a longer one the first and the last half
    std::size_t workers = 1;           ///< configurations that run at a time
    std::size_t builders = 0;          ///< that build while others run: each is built before it runs
    bool pinned = true;                ///< whether several workers and builders have processors of their own

    /// Checks the settings. Throws std::invalid_argument where a setting is out of range.
    void validate() const
    {
        require(!command.empty() && !command.front().empty(),
                "program: command is empty, want a program and its arguments");
        require(cpu_seconds > 0, "program: cpu_seconds is not positive, want > 0");
        require(output_bytes >= 1, "program: output_bytes is 0, want >= 1");
        require(workers >= 1, "program: workers is 0, want >= 1");
        for (const auto& [name, value] : environment)
            require(!name.empty() && name.find('=') == std::string::npos,
                    "program: environment has a name that is empty or has '=' in it, want a variable's name");
        repetition.validate();
    }
};

/// The command that is run for one configuration.
struct program_command {
    std::vector<std::string> arguments;
    std::vector<std::pair<std::string, std::string>> environment;
    std::string directory;
    std::vector<std::string> build;
};

}  // namespace tunekit::measure
