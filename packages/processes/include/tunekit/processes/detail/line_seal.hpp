// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A checksum on a line of JSON, as the last member of its object: the line stays JSON for everybody else.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tunekit::io {

namespace detail {

inline constexpr std::string_view seal_begins = ",\"crc32c\":\"";
inline constexpr std::size_t seal_size = seal_begins.size() + 8 + 2;  ///< eight hexadecimal digits, and `"}`

/// `line`, an object with a member at least, with the checksum of all before it.
[[nodiscard]] std::string sealed(std::string_view line);

/// What the checksum of a line says.
enum class seal : std::uint8_t {
    none,    ///< there is none
    broken,  ///< it is that of another line: this one was cut or edited
    whole,   ///< it is its own
};

/// Whether `line` has a checksum, and whether it is its own. The end of a line may have become that of Windows.
[[nodiscard]] seal seal_of(std::string_view line);

}  // namespace detail

}  // namespace tunekit::io
