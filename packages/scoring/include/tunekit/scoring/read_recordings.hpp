// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Reads recorded spaces from files and folders, for scoring strategies. Needs zlib.

#if !__has_include("tunekit/formats.hpp")
#error \
    "tunekit: scoring/read_recordings.hpp stands on the package formats: link tunekit::scoring, or add -I packages/formats/include"
#endif

#include <dirent.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/formats/read_recorded_space.hpp"
#include "tunekit/formats/replay_table.hpp"
#include "tunekit/processes/files/problem.hpp"
#include "tunekit/processes/system/files.hpp"
#include "tunekit/scoring/recording.hpp"
#include "tunekit/space/any_space.hpp"

namespace tunekit::scoring {

/// The names of the recorded spaces in a folder, sorted: the file names before `.params`.
/// Errors: tunekit::error where `folder` is not a folder.
[[nodiscard]] inline std::vector<std::string> recorded_names(const std::string& folder)
{
    DIR* opened = ::opendir(folder.c_str());
    if (opened == nullptr) throw error('"' + folder + "\" is not a folder, want one with recorded spaces");
    std::vector<std::string> out;
    while (const dirent* entry = ::readdir(opened)) {
        const std::string_view file = entry->d_name;
        if (file.ends_with(".params")) out.emplace_back(file.substr(0, file.size() - 7));
    }
    ::closedir(opened);
    std::sort(out.begin(), out.end());
    return out;
}

/// Reads one recorded space: `<stem>.params` and `<stem>.csv.gz`, or `<stem>.csv`. Faults of single rows are its
/// `problems`. A sample of a space becomes a list of its configurations. The raw repeats are dropped: scoring uses only
/// the costs.
/// Errors: those of `io::read_recorded_space` and `io::space_of`.
[[nodiscard]] inline recording read_recording(const std::string& stem)
{
    const auto recorded = io::read_recorded_space(stem);
    space::any_space space =
        recorded.sample ? space::any_space(io::listed_space_of(recorded)) : space::any_space(io::space_of(recorded));
    auto table = recorded.sample ? io::table_of(recorded) : io::table_of(recorded, space);
    for (auto& row : table.rows) row.result.batches.clear();  // copied at every look-up otherwise
    recording out =
        recording_of(stem.substr(stem.rfind('/') + 1), recorded.kernel, std::move(space), std::move(table.rows));
    for (const std::size_t k : table.source)
        out.source_rows.push_back(k < recorded.rows.size() && recorded.rows[k].line >= 2 ? recorded.rows[k].line - 2
                                                                                         : recording::no_row);
    out.problems = recorded.problems;
    out.problems.insert(out.problems.end(), table.problems.begin(), table.problems.end());
    return out;
}

/// Reads recorded spaces whose names contain `only`: all of a folder, sorted by name, or the one of a file
/// `PATH.params` (with or without the ending).
///
///     const auto spaces = scoring::read_recordings("packages/scoring/recordings");
///
/// Errors: tunekit::error where `path` is neither a folder nor such a file, and where none of its spaces has such a
/// name; else those of `read_recording`.
[[nodiscard]] inline std::vector<recording> read_recordings(std::string path, std::string_view only = {})
{
    std::vector<recording> out;
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    std::string stem = path;
    if (stem.ends_with(".params")) stem.resize(stem.size() - 7);
    if (system::state_of(stem + ".params")) {
        out.push_back(read_recording(stem));
        return out;
    }
    for (const auto& name : recorded_names(path))
        if (name.find(only) != std::string::npos) out.push_back(read_recording(path + '/' + name));
    if (out.empty()) throw error('"' + path + "\" holds no such recorded space, want NAME.params and NAME.csv.gz");
    return out;
}

/// The folder of tunekit's recordings: the environment variable TUNEKIT_RECORDINGS where it is set, else `checkout`.
/// CMake targets that link `tunekit::scoring` have the macro of the same name for it: the package's recordings in a
/// checkout, and "" where tunekit is installed, as recordings are not. Throws tunekit::error where there is neither.
///
///     const auto spaces = scoring::read_recordings(scoring::recordings_folder(TUNEKIT_RECORDINGS));
[[nodiscard]] inline std::string recordings_folder(std::string checkout)
{
    const char* chosen = std::getenv("TUNEKIT_RECORDINGS");
    if (chosen != nullptr && *chosen != '\0') return chosen;
    if (checkout.empty())
        throw error(
            "recordings are not installed with it, want the folder packages/scoring/recordings of its sources in the "
            "environment "
            "variable TUNEKIT_RECORDINGS, or as score_strategy --spaces FOLDER");
    return checkout;
}

}  // namespace tunekit::scoring
