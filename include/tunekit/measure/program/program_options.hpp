// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What is run for a configuration of a program, what it costs, and what holds it.

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

/// A number that is kept beside the cost.
struct named_reading {
    std::string name;
    reading read;
};

/// Settings of `program`. Texts with a star may have placeholders: `{name}` of a parameter, `{scratch}`, a folder that is
/// empty before each configuration and no other worker's, `{build}`, the folder of what was built (see `text_template`).
struct program_options {
    std::vector<std::string> command;                                ///< * program and arguments
    std::vector<std::pair<std::string, std::string>> environment{};  ///< name and * value, beside what there is
    std::string directory{};                                         ///< * where it runs; empty: where this process is
    std::vector<template_file> files{};                              ///< written before; in {build}: part of the build
    std::vector<std::string> build{};  ///< * run first, once for the same arguments and files; 0 is success
    std::string build_directory{};     ///< where builds are kept; empty: until the program is forgotten
    std::string result_file{};         ///< * what it writes its numbers to; empty: its output has them
    std::optional<reading> cost{};     ///< none: the wall time of a run
    std::vector<named_reading> numbers{};
    int exit_status = 0;                       ///< of a run that went well
    std::optional<run_check> check{};          ///< of the first run of a configuration
    std::vector<std::string> check_command{};  ///< * run after it; 0 says that it was right
    /// Three runs at least, ten at most, until the standard error is 2 % of the mean; the cost is their median.
    any_repetition repetition{until_confident{.standard_error = 0.02, .group = 1, .min_groups = 3, .max_runs = 10}};
    double cpu_seconds = std::numeric_limits<double>::infinity();  ///< that a process of it may take; whole seconds
    std::size_t memory_bytes = 0;                     ///< address space that a process of it may have; 0: any
    std::size_t output_bytes = std::size_t{1} << 20;  ///< kept of its output; of more, the first and the last half
    std::size_t workers = 1;                          ///< configurations that run at a time
    std::size_t builders = 0;                         ///< that build while others run: each is built before it runs
    bool pinned = true;                               ///< several workers and builders have processors of their own

    /// Throws std::invalid_argument where a setting is out of range.
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

/// What would be run for one configuration.
struct program_command {
    std::vector<std::string> arguments;
    std::vector<std::pair<std::string, std::string>> environment;
    std::string directory;
    std::vector<std::string> build;
};

}  // namespace tunekit::measure
