// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The measurement of one configuration of a program, in a process that does nothing else: files, build, runs.

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/processes/detail/command_run.hpp"
#include "tunekit/processes/detail/program_build.hpp"
#include "tunekit/processes/detail/program_runs.hpp"
#include "tunekit/processes/detail/program_texts.hpp"
#include "tunekit/processes/program/program_options.hpp"

namespace tunekit::measure::detail {

/// A program with its texts and its builds. Measuring is const, and happens in a child.
class program_plan {
public:
    /// `names` are those of the parameters. Throws as `program_texts`, and std::invalid_argument for settings out of
    /// range.
    program_plan(std::span<const std::string> names, program_options options)
        : options_(std::move(options)), texts_(names, options_)
    {
    }

    [[nodiscard]] const program_options& options() const noexcept { return options_; }
    [[nodiscard]] const program_texts& texts() const noexcept { return texts_; }
    [[nodiscard]] const program_builds& builds() const noexcept { return builds_; }
    /// Builds in `folder` from now on. Throws as `program_builds`.
    void build_in(std::string folder) { builds_ = program_builds(std::move(folder), texts_, options_.rebuild); }

    /// The command for the values of a configuration, with these folders.
    [[nodiscard]] program_options::filled filled(std::vector<std::string> values, std::string scratch,
                                                 std::string build) const
    {
        values.push_back(std::move(scratch));
        values.push_back(std::move(build));
        command_line run = texts_.command(values);
        return {.arguments = std::move(run.arguments),
                .environment = std::move(run.environment),
                .directory = std::move(run.directory),
                .build = texts_.build(values).arguments};
    }

    /// Measures a configuration. `scratch` is the folder of this worker, which exists.
    [[nodiscard]] measurement measure(command_runner& run, std::vector<std::string> values, const limits& within,
                                      const std::string& scratch, std::vector<double>& numbers) const
    {
        measurement out;
        const wall_clock now;
        double begun = now();
        try {
            const std::string key = builds_.place(texts_, values, scratch);
            if (texts_.builds() || texts_.builds_apart()) builds_.build(run, texts_, values, key, within);
            if (texts_.builds()) out.build_seconds = now() - begun;
            begun = now();
            texts_.write_files(values, false);
            program_runs(run, options_, texts_, values, within, begun).measure(out, numbers);
        } catch (const candidate_error& e) {
            out.failed = e.why;
            out.checked = check_state::unchecked;
            const bool late = e.why.kind == failure_kind::run_timeout || e.why.kind == failure_kind::build_timeout;
            if (!late) empty_folder(scratch, &e.why);
        }
        if (out.failed &&
            (out.failed->kind == failure_kind::build_error || out.failed->kind == failure_kind::build_timeout))
            out.build_seconds = now() - begun;
        else out.run_seconds = now() - begun;
        return out;
    }

    /// Builds, without a run. It returns the failure of the build, or its seconds. A later measurement, in any place,
    /// finds the build done.
    [[nodiscard]] measurement build_ahead(command_runner& run, std::vector<std::string> values, const limits& within,
                                          const std::string& scratch) const
    {
        measurement out;
        const wall_clock now;
        const double begun = now();
        try {
            const std::string key = builds_.place(texts_, values, scratch);
            builds_.build(run, texts_, values, key, within);
        } catch (const candidate_error& e) {
            out.failed = e.why;
        }
        out.build_seconds = now() - begun;
        return out;
    }

private:
    program_options options_;
    program_texts texts_;
    program_builds builds_;
};

}  // namespace tunekit::measure::detail
