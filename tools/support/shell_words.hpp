// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Commands to be pasted into a shell.

#include <cstddef>
#include <span>
#include <string>

namespace programs {

/// A word as a shell would have it. Control characters, which a terminal would obey, are
/// written by printf; line ends stand in quotes.
inline std::string shell_word(const std::string& word)
{
    const bool plain =
        !word.empty() &&
        word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%") ==
            std::string::npos;
    if (plain) return word;
    std::string out = "'";
    for (std::size_t i = 0; i < word.size(); ++i) {
        const auto u = static_cast<unsigned char>(word[i]);
        const bool control = (u < 0x20 && u != '\n') || u == 0x7F;
        if (u == '\'') {
            out += "'\\''";
        } else if (control) {
            out += "'\"$(printf '\\";
            for (const int shift : {6, 3, 0}) out += static_cast<char>('0' + (u >> shift & 7));
            out += "')\"'";
        } else {
            out += word[i];
        }
    }
    return out += '\'';
}

inline std::string shell_line(std::span<const std::string> words)
{
    std::string out;
    for (const std::string& w : words) (out += out.empty() ? "" : " ") += shell_word(w);
    return out;
}

}  // namespace programs
