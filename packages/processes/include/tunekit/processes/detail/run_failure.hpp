// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The failures of a configuration whose program did not do what it should.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/processes/detail/command_run.hpp"
#include "tunekit/processes/program/finished_run.hpp"

namespace tunekit::measure::detail {

/// Throws a candidate_error with that failure.
[[noreturn]] void refuse(failure_kind kind, std::string message, int code = 0);

/// What a run said last, as the end of a message.
std::string said_by(const finished_run& run);

/// The failure of a run that did not end well; empty where it did.
std::optional<failure> failure_of(const finished_run& run, const std::string& name, int wanted,
                                  const command_limits& limits);

/// The content of a plain file; empty where it cannot be read. A file longer than `bytes` gives its beginning, which is
/// longer than `bytes`.
std::optional<std::string> file_text(const std::string& path, std::size_t bytes);

/// Throws tunekit::error where something is at `path` that is neither a file nor a link.
void refuse_irregular(const std::string& path);

/// Writes a file. Throws no_resources where the disk has no more to give.
void put_file(const std::string& path, std::string_view text);

/// Makes `folder` an empty one. Throws no_resources, with the failure `why` of a configuration that ran there, where
/// that is impossible or there is no room for 1 MiB then: the disk may have been its cause, and would be that of the
/// next.
void empty_folder(const std::string& folder, const failure* why = nullptr);

}  // namespace tunekit::measure::detail
