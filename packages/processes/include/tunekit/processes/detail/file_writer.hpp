// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Writing a whole file, so that what was there stays until the new text is on the disk.

#include <string>
#include <string_view>

namespace tunekit::io::detail {

/// Writes all of `text`. Returns 0, or the reason.
[[nodiscard]] int write_whole(int fd, std::string_view text) noexcept;

/// Makes `text` the content of a file, as `io::write_text` says.
void write_file(const std::string& path, std::string_view text);

}  // namespace tunekit::io::detail
