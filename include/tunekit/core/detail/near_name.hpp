// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What is said of a name that nobody knows: the known one that is near to it.

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/config.hpp"

namespace tunekit::core::detail {

/// The known name that differs from `word` in the fewest letters, at most two and less than half of the word's: left out, put
/// in, or another. Empty where there is none.
/// Source: Wagner, Fischer (1974), The string-to-string correction problem.
[[nodiscard, gnu::cold]] std::string near_name(std::string_view word, std::span<const std::string> known);

/// What to want in place of `word`: "tile" where that is near, else "one of tile, mode, on", the first 16.
[[nodiscard, gnu::cold]] std::string wanted_name(std::string_view word, std::span<const std::string> known);

}  // namespace tunekit::core::detail

#if TUNEKIT_BODIES
namespace tunekit::core::detail {

TUNEKIT_INLINE std::string near_name(std::string_view word, std::span<const std::string> known)
{
    std::string out;
    std::size_t least = (std::min)(std::size_t{3}, (word.size() + 1) / 2);
    for (const std::string& name : known) {
        if (name.size() >= word.size() + 3 || word.size() >= name.size() + 3) continue;  // a word may be of any length
        std::vector<std::size_t> row(name.size() + 1);
        for (std::size_t k = 0; k < row.size(); ++k) row[k] = k;
        for (std::size_t i = 0; i < word.size(); ++i) {
            std::size_t corner = std::exchange(row[0], i + 1);
            for (std::size_t k = 0; k < name.size(); ++k) {
                const std::size_t other = corner + (word[i] == name[k] ? 0 : 1);
                corner = row[k + 1];
                row[k + 1] = (std::min)((std::min)(other, corner + 1), row[k] + 1);
            }
        }
        if (row.back() < least) least = row.back(), out = name;
    }
    return out;
}

TUNEKIT_INLINE std::string wanted_name(std::string_view word, std::span<const std::string> known)
{
    std::string out = near_name(word, known);
    if (!out.empty()) return out;
    constexpr std::size_t most = 16;
    for (std::size_t k = 0; k < known.size() && k < most; ++k)
        (out += k == 0 ? "one of " : ", ") += known[k].substr(0, 80);
    return known.size() > most ? out + ", ..." : out;
}

}  // namespace tunekit::core::detail
#endif  // TUNEKIT_BODIES
