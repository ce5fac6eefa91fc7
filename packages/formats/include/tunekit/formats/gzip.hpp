// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Files that may be compressed. Needs zlib.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include <zlib.h>

#include "tunekit/core/error.hpp"
#include "tunekit/processes/files/regular_file.hpp"
#include "tunekit/processes/files/text.hpp"

namespace tunekit::io {

namespace detail {

/// The most that a file of so many bytes may unpack to: 16 MiB, and 64 times as much. gzip packs 1000 equal bytes in
/// one, and recordings five to one.
[[nodiscard]] constexpr std::size_t max_unpacked(std::size_t packed) noexcept
{
    return packed > max_text_bytes ? max_text_bytes : (std::size_t{16} << 20) + 64 * packed;
}

}  // namespace detail

/// The whole of a file, uncompressed where it is a gzip file. A file of 2 MB can hold gigabytes, so there are bounds:
/// `max_bytes`, and 64 times what is packed (but 16 MiB always may). Throws tunekit::error where it cannot be opened,
/// where it is a damaged, cut or too large gzip file, or where memory does not suffice.
[[nodiscard]] inline std::string read_gzip(const std::string& path, std::size_t max_bytes = max_text_bytes)
{
    detail::regular_file packed(path, system::detail::opening::read, path);
    max_bytes = (std::min)(max_bytes, detail::max_unpacked(static_cast<std::size_t>(packed.state(path).size)));
    gzFile file = gzdopen(packed.fd(), "rb");
    if (file == nullptr) detail::refuse_for_memory(path);
    (void)packed.released();  // gzclose closes it
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

namespace detail {

/// Makes a gzip file that holds `text`; equal texts give equal files. Throws tunekit::error where it cannot; what was
/// there then stays.
inline void write_gzip(const std::string& path, std::string_view text)
{
    constexpr int gzip_window = 15 + 16, memory = 8;
    z_stream z{};
    if (deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, gzip_window, memory, Z_DEFAULT_STRATEGY) != Z_OK)
        refuse_for_memory(path);
    const std::unique_ptr<z_stream, decltype(&deflateEnd)> end(&z, &deflateEnd);
    std::string out;
    char buffer[1 << 14];
    for (int state = Z_OK; state != Z_STREAM_END;) {
        const std::string_view part = text.substr(0, std::size_t{1} << 20);
        text.remove_prefix(part.size());
        z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data()));  // zlib does not write there
        z.avail_in = static_cast<uInt>(part.size());
        do {
            z.next_out = reinterpret_cast<Bytef*>(buffer);
            z.avail_out = sizeof buffer;
            state = deflate(&z, text.empty() ? Z_FINISH : Z_NO_FLUSH);
            out.append(buffer, sizeof buffer - z.avail_out);
        } while (z.avail_out == 0);
    }
    write_text(path, out);
}

}  // namespace detail

}  // namespace tunekit::io
