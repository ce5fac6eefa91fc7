// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Commands to be pasted into a shell.

#include <span>
#include <string>

namespace programs {

/// A word as a shell would have it.
inline std::string shell_word(const std::string& word)
{
    const bool plain =
        !word.empty() &&
        word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%") ==
            std::string::npos;
    if (plain) return word;
    std::string out = "'";
    for (const char c : word)
        if (c == '\'') out += "'\\''";
        else out += c;
    return out += '\'';
}

inline std::string shell_line(std::span<const std::string> words)
{
    std::string out;
    for (const std::string& w : words) (out += out.empty() ? "" : " ") += shell_word(w);
    return out;
}

}  // namespace programs
