// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The text of this floor's files: fields without blanks, and a checksum.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "tunekit/core/error.hpp"
#include "tunekit/io/field.hpp"

namespace tunekit::dispatch::detail {

/// A field as it is written, without blanks and |. An empty field is written as %.
[[nodiscard]] inline std::string as_word(std::string_view s) { return s.empty() ? "%" : io::escaped(s, " |"); }

/// The text that `as_word` was given; none where the word is malformed.
[[nodiscard]] inline std::optional<std::string> from_word(std::string_view s)
{
    return s == "%" ? std::string() : io::unescaped(s);
}

/// `text` with a last line that has its checksum.
[[nodiscard]] inline std::string with_end(std::string text)
{
    const std::string check = io::in_hex(io::fnv1a(text));
    return text += "end " + check + '\n';
}

/// The lines before that last one. Throws tunekit::error, `what` first, where the last line is missing or does not fit
/// the text.
[[nodiscard]] inline std::string_view without_end(std::string_view text, const std::string& what)
{
    const std::size_t last = text.size() < 2 ? std::string_view::npos : text.rfind('\n', text.size() - 2);
    if (last == std::string_view::npos || !text.ends_with('\n') || !text.substr(last + 1).starts_with("end "))
        throw error(what + ": was cut: its last line is not `end` and a checksum; write it again");
    const std::string_view body = text.substr(0, last + 1);
    const std::string_view check = text.substr(last + 5, text.size() - last - 6);
    if (io::from_hex(check) != io::fnv1a(body))
        throw error(what + ": was changed or damaged: its checksum is another one; write it again");
    return body;
}

}  // namespace tunekit::dispatch::detail
