// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The runs of one configuration of a program: repeated, checked once, and read.

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/processes/detail/command_run.hpp"
#include "tunekit/processes/detail/program_texts.hpp"
#include "tunekit/processes/powercap.hpp"
#include "tunekit/processes/program/finished_run.hpp"
#include "tunekit/processes/program/program_options.hpp"

namespace tunekit::measure::detail {

/// What of a configuration's measurement is to happen now, and what it told beside its costs.
struct taken_up {
    bool set_up = true, run = true, clean_up = true;
    std::vector<double> numbers{};  ///< of the first run
    std::string unclean{};          ///< why the cleanup failed; else empty
};

/// Runs a configuration, whose files are written and whose program is built, as often as the repetition says, and
/// checks it where it could win: as soon as a run is not above limits::abandon_above, or else at the end.
class program_runs {
public:
    /// The parts must outlive it. `begun` is when limits::run_seconds began; from `repeat_until` on nothing runs again.
    program_runs(command_runner& run, const program_options& options, const program_texts& texts,
                 std::span<const std::string> values, const limits& within, double begun, double repeat_until);

    /// Measures, between the setup and the cleanup; a cleanup that fails costs no result. Their time counts as that of
    /// a build. Throws candidate_error.
    void measure(measurement& out, taken_up& what);

private:
    static constexpr double never = std::numeric_limits<double>::infinity();

    /// Runs a command beside the runs, whose time is no part of theirs. Throws candidate_error that begins with `who`.
    void aside(const command_line& what, const char* who);
    void warm_up();
    /// Returns why the cleanup failed; else nothing.
    std::string clean();

    /// The runs that are measured.
    void repeat(measurement& out, std::vector<double>& numbers);

    [[nodiscard]] command_limits hold_of(double wall_seconds) const;

    /// One run. A run that took too long is returned; any other that did not end well is thrown as candidate_error.
    [[nodiscard]] finished_run one_run(const command_limits& hold);

    /// The cost of a run that ended well. The numbers of the first one are read.
    double taken(finished_run one, measurement& out, std::vector<double>& numbers);

    /// Checks a run that is the latest, where none was checked before.
    void check_once(const finished_run& one, measurement& out);

    [[nodiscard]] double number(std::size_t k, const finished_run& one) const;

    [[nodiscard]] double cost_of(const finished_run& run) const;

    /// Whether limits::max_runs has what it wants.
    [[nodiscard]] bool has_looked(std::span<const double> batches) const;
    /// Cuts the configuration short where at least three runs were made and all were above the limit.
    bool abandoned(measurement& out) const;

    void cut_short(measurement& out) const;

    /// Concludes before the repetition does. There is no time for a check then, and the last run may have been ended
    /// half-way: what is unchecked had all of its runs above the limit, so it is cut short.
    void conclude_early(measurement& out) const { checked_ ? conclude(out) : cut_short(out); }

    void conclude(measurement& out) const;

    command_runner& run_;
    const program_options& options_;
    command_line what_, check_, setup_, prepare_, cleanup_;
    std::string file_;
    std::vector<std::string> sized_;  ///< for each number the file whose size it is; empty: it is read from the run
    std::optional<energy_counter> energy_{};
    const limits& within_;
    wall_clock now_{};
    double deadline_, repeat_until_;
    double aside_seconds_ = 0;    ///< of setup, preparations and cleanup
    double fastest_ = never;      ///< wall seconds of a run
    std::vector<double> seen_{};  ///< costs of runs, and seconds of those that were ended at abandon_above
    std::size_t ended_ = 0;       ///< the number of those that were ended
    bool checked_;                ///< whether a run was checked, or there is nothing to check with
    finished_run last_{};         ///< the latest that ended well, while `checked_` is false
};

}  // namespace tunekit::measure::detail
