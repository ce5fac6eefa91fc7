// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The command line of a study, with the options that most have. Each option's help shows the value that it has.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include "tools/support/program.hpp"

namespace programs {

/// An app of CLI11's.
class study_app : public CLI::App {
public:
    study_app(const std::string& what, const std::string& name) : CLI::App(what, name)
    {
        option_defaults()->always_capture_default();
    }

    void spaces(std::string& folders)
    {
        add_option("--spaces", folders, "folders of recorded spaces, separated by commas: NAME.params, NAME.csv.gz")
            ->required();
    }
    void spaces(std::string& folders, std::string& only)
    {
        spaces(folders);
        add_option("--only", only, "spaces whose name contains this");
    }
    void repeats(std::size_t& to, const std::string& what = "runs with different seeds")
    {
        add_option("--repeats", to, what)->check(whole_number());
    }
    void seed(std::uint64_t& to, const std::string& what = "of the first repeat's streams")
    {
        add_option("--seed", to, what)->check(whole_number());
    }
    void json(bool& to) { add_flag("--json", to, "print JSON instead of tables"); }

    /// Parses, calls `what`, and returns the exit status.
    template <class Run>
    int run(int argc, char** argv, Run&& what)
    {
        return run_program(*this, argc, argv, std::forward<Run>(what));
    }
};

}  // namespace programs
