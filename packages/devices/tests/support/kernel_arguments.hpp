// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A kernel of y, x and n as data: y[i] = factor * x[i], where factor is a parameter; right where that is 2.

#include <cstddef>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/devices/kernel_pool.hpp"

namespace support {

template <class T>
[[nodiscard]] std::vector<unsigned char> bytes_of(const std::vector<T>& x)
{
    std::vector<unsigned char> out(x.size() * sizeof(T));
    std::memcpy(out.data(), x.data(), out.size());
    return out;
}

template <class T>
[[nodiscard]] std::vector<T> values_of(const std::vector<unsigned char>& bytes)
{
    std::vector<T> out(bytes.size() / sizeof(T));
    std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
}

/// x is 1, 2, ..., y begins with zeros, and should be 2 x.
[[nodiscard]] inline tunekit::measure::kernel_problem scaling(std::string text, int n = 100)
{
    namespace ms = tunekit::measure;
    ms::kernel_problem out{.name = "scale", .text = std::move(text)};
    out.language = ms::language_of(out.text);
    std::vector<float> x, want;
    for (int i = 0; i < n; ++i) {
        x.push_back(static_cast<float>(i + 1));
        want.push_back(2 * x.back());
    }
    out.arguments = {
        {.name = "y",
         .type = ms::element_type::float32,
         .bytes = bytes_of(std::vector<float>(x.size())),
         .answer = bytes_of(want)},
        {.name = "x", .type = ms::element_type::float32, .bytes = bytes_of(x)},
        {.name = "n", .type = ms::element_type::int32, .array = false, .bytes = bytes_of(std::vector<int>{n})}};
    out.grid[0] = std::string("-(-") + std::to_string(n) + " // block_size_x)";
    out.block[0] = "block_size_x";
    return out;
}

}  // namespace support
