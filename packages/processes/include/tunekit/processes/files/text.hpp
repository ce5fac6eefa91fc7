// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Text of files: lines, words, and files as a whole.

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/processes/detail/file_writer.hpp"

namespace tunekit::io {

/// The pieces of `text` between `separator`s: "a,,b" has three. An empty text has one empty piece.
[[nodiscard]] inline std::vector<std::string_view> split(std::string_view text, char separator)
{
    std::vector<std::string_view> out;
    for (;;) {
        const std::size_t at = text.find(separator);
        out.push_back(text.substr(0, at));
        if (at == std::string_view::npos) return out;
        text.remove_prefix(at + 1);
    }
}

/// The lines of `text` without their ends ("\n" or "\r\n"). The text after the last end is a line unless it is empty.
[[nodiscard]] inline std::vector<std::string_view> lines(std::string_view text)
{
    auto out = split(text, '\n');
    if (out.back().empty()) out.pop_back();
    for (auto& line : out)
        if (line.ends_with('\r')) line.remove_suffix(1);
    return out;
}

/// The words of `text`, separated by blanks and tabs.
[[nodiscard]] inline std::vector<std::string_view> words(std::string_view text)
{
    std::vector<std::string_view> out;
    for (;;) {
        const std::size_t from = text.find_first_not_of(" \t");
        if (from == std::string_view::npos) return out;
        text.remove_prefix(from);
        const std::size_t to = text.find_first_of(" \t");
        out.push_back(text.substr(0, to));
        if (to == std::string_view::npos) return out;
        text.remove_prefix(to);
    }
}

/// The longest text that readers of files accept, unpacked: 1 GiB.
inline constexpr std::size_t max_text_bytes = std::size_t{1} << 30;

/// The largest time that a file may hold. Sums and squares of times up to it are finite.
inline constexpr double max_seconds = 1e100;

namespace detail {

[[noreturn]] inline void refuse_size(const std::string& path, std::size_t max_bytes)
{
    throw error(path + ": holds more than " + core::text_of(max_bytes >> 20) + " MiB of text, want less");
}

[[noreturn]] inline void refuse_for_memory(const std::string& path)
{
    throw error(path + ": memory does not suffice to read it, want more memory or a smaller file");
}

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
[[nodiscard]] inline std::string read_text(const std::string& path)
{
    std::FILE* file = std::fopen(path.c_str(), "rb");
    if (file == nullptr)
        throw error(path + ": cannot be opened, want " +
                    (errno == EMFILE ? "a higher limit of open files (ulimit -n)" : "a readable file"));
    std::string out;
    bool broken = false, full = false;
    try {
        char buffer[1 << 14];
        std::size_t got = 0;
        while (out.size() <= max_text_bytes && (got = std::fread(buffer, 1, sizeof buffer, file)) != 0)
            out.append(buffer, got);
        broken = std::ferror(file) != 0;
    } catch (const std::bad_alloc&) {
        full = true;
    }
    std::fclose(file);
    if (broken) throw error(path + ": cannot be read, want a readable file");
    if (full) detail::refuse_for_memory(path);
    if (out.size() > max_text_bytes) detail::refuse_size(path, max_text_bytes);
    return out;
}

/// Makes `text` the content of a file, at once: a reader sees the old file or the new one, also after a crash. The text
/// is written beside the file, flushed to the disk and renamed. The file keeps its mode, and a symbolic link to it
/// remains one. A device or a pipe is written to instead. Throws tunekit::error, and leaves the file unchanged, where
/// that fails.
inline void write_text(const std::string& path, std::string_view text) { detail::write_file(path, text); }

}  // namespace tunekit::io
