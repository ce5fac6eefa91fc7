// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Trajectories as files, so that any tuner can be compared. Needs zlib.

#if !__has_include("tunekit/formats.hpp")
#error \
    "tunekit: scoring/trajectory_file.hpp stands on the package formats: link tunekit::scoring, or add -I packages/formats/include"
#endif

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/formats/csv.hpp"
#include "tunekit/formats/read_recorded_space.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/scoring/trajectory.hpp"

namespace tunekit::scoring {

namespace detail {

/// The text of a trajectory file: CSV with the columns
///
///     repeat        from 0
///     eval          evaluations so far in this repeat, from 1
///     sim_time_s    seconds of recorded time that passed
///     best_ms       lowest cost so far, milliseconds; empty before the first valid one
///     overhead_s    seconds that the strategy itself took so far; may be empty
///     row           of the recording's table, from 0; may be empty
///
/// with a line for every evaluation.
[[nodiscard]] inline std::string to_csv(std::span<const trajectory> runs)
{
    std::string out = "repeat,eval,sim_time_s,best_ms,overhead_s,row\n";
    const auto nanoseconds = [](double seconds) { return core::text_of(seconds, std::chars_format::fixed, 9); };
    for (std::size_t repeat = 0; repeat < runs.size(); ++repeat) {
        const trajectory& run = runs[repeat];
        for (std::size_t k = 0; k < run.evaluations(); ++k) {
            out += std::to_string(repeat) + ',' + std::to_string(k + 1) + ',' + nanoseconds(run.seconds[k]) + ',';
            if (std::isfinite(run.best[k])) out += core::text_of(1e3 * run.best[k]);
            out += ',';
            if (!run.own.empty() && std::isfinite(run.own[k])) out += nanoseconds(run.own[k]);
            out += ',';
            if (!run.rows.empty() && run.rows[k] != recording::no_row) out += std::to_string(run.rows[k]);
            out += '\n';
        }
    }
    return out;
}

}  // namespace detail

/// Writes a trajectory file. Its folder must exist. Throws tunekit::error where it cannot.
inline void write_trajectories(const std::string& path, std::span<const trajectory> runs)
{
    io::write_text(path, detail::to_csv(runs));
}

namespace detail {

/// A line of the file as it stands.
struct trajectory_line {
    std::size_t evaluation = 0;
    double seconds = 0, best = 0, own = 0;
};

/// A run of which lines are missing where nothing got better: times between two lines are linear in between.
[[nodiscard]] inline trajectory filled(const std::vector<trajectory_line>& lines)
{
    trajectory out;
    out.failures_known = false;
    for (std::size_t j = 0; j < lines.size(); ++j) {
        const trajectory_line from =
            j == 0 ? trajectory_line{.best = std::numeric_limits<double>::infinity()} : lines[j - 1];
        const auto steps = static_cast<double>(lines[j].evaluation - from.evaluation);
        for (std::size_t e = from.evaluation + 1; e <= lines[j].evaluation; ++e) {
            const double part = static_cast<double>(e - from.evaluation) / steps;
            out.seconds.push_back(from.seconds + part * (lines[j].seconds - from.seconds));
            out.best.push_back(e == lines[j].evaluation ? lines[j].best : from.best);
            out.own.push_back(from.own + part * (lines[j].own - from.own));
        }
    }
    return out;
}

/// Reads the lines of a trajectory file by the names of their columns.
class trajectory_reader {
public:
    trajectory_reader(std::string path, std::vector<std::string> names)
        : path_(std::move(path)), names_(std::move(names))
    {
        for (const char* name : {"repeat", "eval", "sim_time_s", "best_ms"})
            if (column(name) == names_.size()) refuse(1, std::string("has no column ") + name + ", want one");
    }

    /// One line more.
    void take(const io::csv_record& record)
    {
        const auto& [at, fields] = record;
        if (fields.size() != names_.size())
            refuse(at, "has " + std::to_string(fields.size()) + " fields, want " + std::to_string(names_.size()));
        const auto repeat = core::number<std::uint64_t>(fields[column("repeat")]);
        const auto evaluation = core::number<std::uint64_t>(fields[column("eval")]);
        if (!repeat || !evaluation || *evaluation == 0 || *evaluation > max_evaluations)
            refuse(at, "repeat or eval is not a count, want repeats from 0 and evaluations from 1");
        const trajectory_line line{.evaluation = static_cast<std::size_t>(*evaluation),
                                   .seconds = amount(record, "sim_time_s"),
                                   .best = amount(record, "best_ms", std::numeric_limits<double>::infinity()) / 1e3,
                                   .own = amount(record, "overhead_s", std::nan(""))};
        auto& of = repeats_[*repeat];
        if (!of.empty() && (line.evaluation <= of.back().evaluation || line.seconds < of.back().seconds ||
                            line.best > of.back().best || line.own < of.back().own))
            refuse(at,
                   "does not follow the line before it: evaluations rise, times do not fall, the best cost does not "
                   "rise");
        evaluations_ += line.evaluation - (of.empty() ? 0 : of.back().evaluation);
        if (evaluations_ > max_evaluations)
            refuse(at, "brings the evaluations of the file to more than 2^24, want fewer");
        of.push_back(line);
    }

    /// The runs, in the order of their numbers.
    [[nodiscard]] std::vector<trajectory> runs() const
    {
        std::vector<trajectory> out;
        for (const auto& [number, lines] : repeats_) out.push_back(filled(lines));
        return out;
    }

private:
    [[noreturn]] void refuse(std::size_t line, const std::string& what) const
    {
        throw error(path_ + ':' + std::to_string(line) + ": " + what);
    }
    [[nodiscard]] std::size_t column(std::string_view name) const
    {
        return static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
    }
    /// The number of that column; `if_empty` where the field is empty, if that may be.
    [[nodiscard]] double amount(const io::csv_record& record, const char* name,
                                std::optional<double> if_empty = {}) const
    {
        const std::size_t k = column(name);
        if (if_empty && (k == names_.size() || record.fields[k].empty())) return *if_empty;
        const auto value = core::number<double>(record.fields[k]);
        if (!value || !(*value >= 0 && *value <= io::max_seconds))
            refuse(record.line,
                   std::string(name) + " is '" + record.fields[k].substr(0, 40) + "', want a number of 0 or more");
        return *value;
    }

    std::string path_;
    std::vector<std::string> names_;
    static constexpr std::size_t max_evaluations = std::size_t{1} << 24;  // 400 MB, whatever lines are left out
    std::size_t evaluations_ = 0;
    std::map<std::uint64_t, std::vector<trajectory_line>> repeats_;
};

}  // namespace detail

/// Reads a trajectory file, plain or gzip: the repeats in the order of their numbers.
///
/// Lines may be left out where the best cost did not change, as in other tuners' files. The last cost then holds until
/// the next line, and time is linear between two lines. The columns `overhead_s` and `row` may be missing. Unknown own
/// time of the strategy is NaN.
/// Errors: tunekit::error, with file and line, where the file cannot be read, a column is missing, a field is no
///         number, evaluations do not rise within a repeat or are more than 2^24 in all, time or own time falls, or a
///         best cost rises.
[[nodiscard]] inline std::vector<trajectory> read_trajectories(const std::string& path)
{
    const std::string text = io::read_gzip(path);
    auto records = io::csv_records(text);
    if (records.empty()) throw error(path + ": is empty, want repeat,eval,sim_time_s,best_ms and lines");
    detail::trajectory_reader read(path, std::move(records.front().fields));
    for (std::size_t i = 1; i < records.size(); ++i) read.take(records[i]);
    auto out = read.runs();
    if (out.empty()) throw error(path + ": has no line after its header, want one for every evaluation");
    return out;
}

}  // namespace tunekit::scoring
