// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The measurement of one configuration of a program, in a process that does nothing else: files, build, runs.

#include <span>
#include <string>
#include <utility>
#include <vector>

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
    program_plan(std::span<const std::string> names, program_options options);

    [[nodiscard]] const program_options& options() const noexcept { return options_; }
    [[nodiscard]] const program_texts& texts() const noexcept { return texts_; }
    [[nodiscard]] const program_builds& builds() const noexcept { return builds_; }
    /// Builds in `folder` from now on. Throws as `program_builds`.
    void build_in(std::string folder) { builds_ = program_builds(std::move(folder), texts_, options_.rebuild); }

    /// The command for the values of a configuration, with these folders.
    [[nodiscard]] program_options::filled filled(std::vector<std::string> values, std::string scratch,
                                                 std::string build) const;

    /// Measures a configuration. `scratch` is the folder of this worker, which exists. From `repeat_until` on, of the
    /// wall clock, nothing runs again.
    [[nodiscard]] measurement measure(command_runner& run, std::vector<std::string> values, const limits& within,
                                      const std::string& scratch, double repeat_until, taken_up& what) const;

    /// Builds, without a run. It returns the failure of the build, or its seconds. A later measurement, in any place,
    /// finds the build done.
    [[nodiscard]] measurement build_ahead(command_runner& run, std::vector<std::string> values, const limits& within,
                                          const std::string& scratch) const;

private:
    program_options options_;
    program_texts texts_;
    program_builds builds_;
};

}  // namespace tunekit::measure::detail
