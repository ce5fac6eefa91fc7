// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Files that may be compressed. Needs zlib.

#include <cstddef>
#include <new>
#include <string>
#include <string_view>

#include <zlib.h>

#include "tunekit/core/error.hpp"
#include "tunekit/io/text.hpp"

namespace tunekit::io {

/// The whole of a file, uncompressed where it is a gzip file. A file of 2 MB can hold gigabytes, so there is a
/// bound.
/// Throws tunekit::error where it cannot be opened, where it is a damaged, cut or too large gzip file, or where memory does not
/// suffice.
[[nodiscard]] inline std::string read_gzip(const std::string& path, std::size_t max_bytes = max_text_bytes)
{
    gzFile file = gzopen(path.c_str(), "rb");
    if (file == nullptr) throw error(path + ": cannot be opened, want a readable file");
    std::string out;
    int got = 0;
    bool full = false;
    try {
        char buffer[1 << 14];
        while (out.size() <= max_bytes && (got = gzread(file, buffer, sizeof buffer)) > 0)
            out.append(buffer, static_cast<std::size_t>(got));
    } catch (const std::bad_alloc&) {
        full = true;
    }
    const bool whole = gzclose(file) == Z_OK && got == 0;  // gzclose tells a cut file apart
    if (full) detail::refuse_for_memory(path);
    if (out.size() > max_bytes) detail::refuse_size(path, max_bytes);
    if (!whole) throw error(path + ": is damaged or ends too early, want a whole gzip or plain file");
    return out;
}

/// Makes a gzip file that holds `text`; equal texts give equal files. Throws tunekit::error where it cannot.
inline void write_gzip(const std::string& path, std::string_view text)
{
    gzFile file = gzopen(path.c_str(), "wb9");
    if (file == nullptr) throw error(path + ": cannot be opened, want a writable file");
    bool whole = true;
    while (whole && !text.empty()) {
        const auto part = static_cast<unsigned>(text.size() < (1U << 20) ? text.size() : (1U << 20));
        whole = gzwrite(file, text.data(), part) == static_cast<int>(part);
        text.remove_prefix(part);
    }
    if (gzclose(file) != Z_OK || !whole) throw error(path + ": cannot be written in full, want room on the disk");
}

}  // namespace tunekit::io
