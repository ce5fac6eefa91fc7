// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Text of files: lines, words, and files as a whole.

#include <cstddef>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"

namespace tunekit::io {

/// The pieces of `text` between `separator`s: "a,,b" has three. An empty text has one empty piece.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

/// The lines of `text` without their ends ("\n" or "\r\n"). The text after the last end is a line unless it is empty.
[[nodiscard]] std::vector<std::string_view> lines(std::string_view text);

/// The words of `text`, separated by blanks and tabs.
[[nodiscard]] std::vector<std::string_view> words(std::string_view text);

/// The longest text that readers of files accept, unpacked: 1 GiB.
inline constexpr std::size_t max_text_bytes = std::size_t{1} << 30;

/// The largest time that a file may hold. Sums and squares of times up to it are finite.
inline constexpr double max_seconds = 1e100;

namespace detail {

/// `text` without the byte-order mark that some editors put before UTF-8.
[[nodiscard]] inline std::string_view without_bom(std::string_view text)
{
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    return text;
}

[[noreturn]] void refuse_size(const std::string& path, std::size_t max_bytes);

[[noreturn]] void refuse_for_memory(const std::string& path);

}  // namespace detail

/// `read()`. Memory that does not suffice is an error that names the file: what was read until then is freed before.
template <class Read>
[[nodiscard]] auto within_memory(const std::string& name, Read&& read)
{
    try {
        return std::forward<Read>(read)();
    } catch (const std::bad_alloc&) {
        detail::refuse_for_memory(name);
    }
}

/// Reads a whole file. Throws tunekit::error where it cannot be read, holds more than `max_text_bytes` or memory does
/// not suffice.
[[nodiscard]] std::string read_text(const std::string& path);

/// Makes `text` the content of a file, at once: a reader sees the old file or the new one, also after a crash. The text
/// is written beside the file, flushed to the disk and renamed. The file keeps its mode, and a symbolic link to it
/// remains one. A device or a pipe is written to instead. Throws tunekit::error, and leaves the file unchanged, where
/// that fails.
void write_text(const std::string& path, std::string_view text);

}  // namespace tunekit::io
