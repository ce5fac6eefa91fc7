// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Reads the log of a tuning run.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/records/log.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::io {

namespace detail {

/// Logs write a byte beyond ASCII as the character of that number; text in UTF-8 comes back as it was.
[[nodiscard]] std::string bytes_of_log(std::string_view text);

/// What has no whole line is begun anew where it is the beginning of a log.
void check_beginning(std::string_view text, const log_content& read, const std::string& name);

/// Reads a log's text; `name` stands for its file.
[[nodiscard]] log_content parse_log(std::string_view text, const std::string& name);

/// The same up to the first line that cannot be read; `problem` says why.
[[nodiscard]] log_content parse_log_beginning(std::string_view text, const std::string& name);

[[nodiscard]] std::vector<measure::trial> trials_of(const log_content& log, const std::string& name, index size,
                                                    std::uint64_t fingerprint);

}  // namespace detail

/// Reads the log file at `path`, which is never changed. A last line without its end is torn and left out; the lines
/// before it count. Every line has a checksum, as in all logs of this version, or none has, as in older logs; `note`
/// then says so. Errors: tunekit::error that names the file, the line and its fault; also where the file cannot be
/// read, is no regular file or has no whole line.
[[nodiscard]] log_content read_log(const std::string& path);

/// The same up to the first line that cannot be read; `problem` says why. Errors: those of the first line, and of
/// memory.
[[nodiscard]] log_content read_log_beginning(const std::string& path);

/// The trials of the task `name` of a log, as `history::add` takes them. `space` is the task's space.
/// Errors: tunekit::error where the log has no such task, or had another space for it.
template <class Space>
[[nodiscard]] std::vector<measure::trial> trials_of(const log_content& log, const std::string& name, const Space& space)
{
    return detail::trials_of(log, name, space.size(), space.fingerprint());
}

/// The same results of one run, whose costs are times, each with the cost of its fastest runs (`measure::
/// fastest_quarter`).
/// As they are, where not all have the runs that their costs were read from.
[[nodiscard]] std::vector<measure::trial> by_fastest_runs(std::vector<measure::trial> of);

}  // namespace tunekit::io
