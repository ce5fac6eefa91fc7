// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <thread>
#include <vector>

/// A thread for each part.
inline constexpr auto on_threads = [](std::size_t parts, const auto& task) {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < parts; ++i) threads.emplace_back([&task, i] { task(i); });
    for (auto& t : threads) t.join();
};
