// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Edited logs, with checksums that fit the new text.

#include <cstddef>
#include <string>

#include "tunekit/processes/detail/line_seal.hpp"

namespace support {

/// `text` with a right checksum on every line that has one.
[[nodiscard]] inline std::string resealed(const std::string& text)
{
    namespace detail = tunekit::io::detail;
    std::string out;
    std::size_t at = 0;
    for (std::size_t end = 0; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
        std::string line = text.substr(at, end - at);
        if (detail::seal_of(line) != detail::seal::none)
            line = detail::sealed(line.substr(0, line.size() - detail::seal_size) + '}');
        out += line + '\n';
    }
    return out + text.substr(at);
}

}  // namespace support
