// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The sentence that says why what was kept is not used.

#include <string>
#include <string_view>

namespace tunekit::core::detail {

/// `what` of a file, a log or a table, such as "the device", is another than here; the words have their quotes.
[[nodiscard]] inline std::string differs_as_quoted(std::string_view what, std::string_view theirs,
                                                   std::string_view ours)
{
    std::string out(what);
    (((out += " is ") += theirs) += ", here ") += ours;
    return out;
}

/// The same of words without quotes: `what is "theirs", here "ours"`.
[[nodiscard]] inline std::string differs(std::string_view what, std::string_view theirs, std::string_view ours)
{
    const auto quoted = [](std::string_view text) {
        std::string out(1, '"');
        (out += text) += '"';
        return out;
    };
    return differs_as_quoted(what, quoted(theirs), quoted(ours));
}

}  // namespace tunekit::core::detail
