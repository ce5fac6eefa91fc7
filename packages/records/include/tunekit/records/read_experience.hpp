// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Experience from logs and from files of its own.

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tunekit/records/experience.hpp"

namespace tunekit::io {

struct log_content;

/// The experience of these files: logs of any version that name their values, and files of `write_experience`. A folder
/// stands for the files in it whose names end in .jsonl, .log or .experience, or in one of these and a number, in the
/// order of their names. Each task of a log is a source, called "FILE TASK".
///
///     const auto past = tk::io::experience_in({"yesterday.jsonl", "logs/"});
///     for (const std::string& line : past.notes) std::puts(line.c_str());
///
/// What cannot be used is left out, with a line in `notes`: a file that cannot be read, is neither of both, is damaged
/// or empty, and a log without the values of its configurations. A torn last line is left out, the lines before it
/// count. So are the files `own`, the logs of the run that begins: a run that is taken up has the past with which it
/// began. It throws for want of memory alone.
///
/// Cost: reading; a log of 1,000 trials takes some 10 ms.
[[nodiscard]] experience experience_in(std::span<const std::string> paths, std::span<const std::string> own = {});
[[nodiscard]] inline experience experience_in(std::initializer_list<std::string> paths)
{
    return experience_in(std::span<const std::string>(paths.begin(), paths.size()));
}

namespace detail {

/// The experience of a log; `name` stands for its file.
[[nodiscard]] experience experience_of(const log_content& log, const std::string& name);

/// The experience of a text that `to_text` wrote. Throws tunekit::error with the line and its fault; `name` stands for
/// the file.
[[nodiscard]] experience parse_experience(std::string_view text, const std::string& name);

}  // namespace detail

/// The text of a file of experience. The notes are not in it.
[[nodiscard]] std::string to_text(const experience& past);

/// Writes a file of experience, at once, as `write_text` does. Throws tunekit::error where that fails.
void write_experience(const std::string& path, const experience& past);

}  // namespace tunekit::io
