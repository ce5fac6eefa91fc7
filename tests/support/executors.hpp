// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Executors that a test takes in place of the serial one.

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace support {

/// The last call first.
inline constexpr auto backwards = [](std::size_t n, const auto& f) {
    while (n-- > 0) f(n);
};

/// On three threads, each of which takes the next call that nobody has taken: what runs where is chance.
inline constexpr auto on_threads = [](std::size_t n, const auto& f) {
    std::atomic<std::size_t> next{0};
    std::vector<std::jthread> threads;
    for (int k = 0; k < 3; ++k)
        threads.emplace_back([&] {
            for (std::size_t i = next++; i < n; i = next++) f(i);
        });
};

}  // namespace support
