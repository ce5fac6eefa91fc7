// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What the programs that tune have in common on their command lines: how a run begins, and where it is kept.

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "tools/support/names.hpp"
#include "tools/support/program.hpp"
#include "tunekit/report/text_table.hpp"

namespace programs {

/// One line of `program` on standard error, whatever a file or a word had in it.
inline void say(const char* program, const std::string& what)
{
    put(STDERR_FILENO, std::string(program) + ": " + tunekit::report::printable(what) + '\n', end_asked);
}

struct run_options {
    std::string strategy = "combined", log;
    std::vector<std::string> start_from;
    std::uint64_t seed = 1;
    double build_factor = 5;
    bool resume = false, with_checks = false, no_checks = false, may_be_worse = false;

    /// Those of `tune_options`.
    [[nodiscard]] std::optional<bool> checks() const
    {
        return with_checks || no_checks ? std::optional(with_checks) : std::nullopt;
    }

    void describe_strategy(CLI::App& app)
    {
        app.add_option("--strategy", strategy, "what is tried next: " + list(recipes()))
            ->capture_default_str()
            ->type_name("NAME");
    }

    /// `log_holds` and `resumes` are the sentences of --log and of --resume.
    void describe_run(CLI::App& app, const char* log_holds, const char* resumes)
    {
        app.add_option("--seed", seed, "same seed, same proposals for the same measurements")
            ->check(whole_number())
            ->capture_default_str();
        app.add_option("--start-from", start_from,
                       "log, file of experience, or folder of them: what was measured before, here or elsewhere; may "
                       "be repeated")
            ->allow_extra_args(false)
            ->type_name("PATH");
        app.add_flag("--no-checks", no_checks,
                     "the best does not run again to tell whether something else disturbs the machine");
        app.add_flag("--checks", with_checks,
                     "the best runs again to tell that, also where costs are no times, or others measure them")
            ->excludes("--no-checks");
        app.add_option("--build-factor", build_factor,
                       "a build that takes this many times as long as nine tenths of those before waits for the end; "
                       "inf: none does")
            ->capture_default_str();
        app.add_option("--log", log, log_holds)->type_name("FILE");
        app.add_flag("--resume", resume, resumes);
        app.add_flag("--may-be-worse", may_be_worse,
                     "end with what seems best; else with the default, unless another was shown to be better");
    }
};

}  // namespace programs
