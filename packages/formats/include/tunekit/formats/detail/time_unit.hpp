// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Units of time as the files of others spell them.

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tunekit::io::detail {

/// How many of a unit a second has: of "ms" 1000. None where the word is no unit of time. In any case, in the plural,
/// and with either of the two signs for micro; public T4 files of Kernel Tuner say "miliseconds".
[[nodiscard]] inline std::optional<double> per_second(std::string_view unit)
{
    static constexpr std::pair<std::string_view, double> known[] = {
        {"s", 1},           {"sec", 1},           {"second", 1},       {"ms", 1e3},
        {"msec", 1e3},      {"millisecond", 1e3}, {"milisecond", 1e3}, {"us", 1e6},
        {"usec", 1e6},      {"microsecond", 1e6}, {"ns", 1e9},         {"nsec", 1e9},
        {"nanosecond", 1e9}};
    std::string word;
    if (unit.starts_with("\xC2\xB5") || unit.starts_with("\xCE\xBC")) {
        word = "u";
        unit.remove_prefix(2);
    }
    for (const char c : unit) word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (word.size() > 3 && word.ends_with('s')) word.pop_back();
    for (const auto& [name, many] : known)
        if (word == name) return many;
    return std::nullopt;
}

/// So many of a unit as milliseconds. Those of seconds are what is read back as the same seconds, wherever these came
/// from milliseconds: the product alone may be off by the last bit.
[[nodiscard]] inline double milliseconds(double x, double per_second = 1)
{
    if (per_second >= 1e3) return x / (per_second / 1e3);
    const double product = x * 1e3;
    for (const double ms : {product, std::nextafter(product, 0.0), std::nextafter(product, 2 * product)})
        if (ms / 1e3 == x) return ms;
    return product;
}

}  // namespace tunekit::io::detail
