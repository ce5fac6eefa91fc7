// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The limits of a launch on a device.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tunekit/processes/build/device_source.hpp"

namespace tunekit::measure::detail {

/// The most that a launch may have, and the words of the device's interface for it.
struct launch_limits {
    std::array<std::int64_t, 3> grid{}, block{};  ///< blocks, and threads of a block, in x, y, z
    std::int64_t threads = 1;                     ///< the most threads per block
    std::int64_t shared_bytes = 0;                ///< per block, fixed and dynamic together
    const char* a_block = "block";                ///< the word in messages for a block: in OpenCL "work-group"
    const char* a_thread = "thread";              ///< the word in messages for a thread: in OpenCL "work-item"
    const char* shared = "shared";                ///< the word in messages for shared memory: in OpenCL "local"
};

/// The line of a limit that is exceeded: "kernel: threads per block are 1280, want at most 1024".
[[nodiscard]] inline std::string too_many(const device_source::launch& how, const std::string& what, std::int64_t has,
                                          std::int64_t most)
{
    return how.entry + ": " + what + ' ' + std::to_string(has) + ", want at most " + std::to_string(most);
}

/// The first limit that the launch exceeds, in one line; else empty. `fixed_shared` is the number of bytes
/// of shared memory that the text declares.
[[nodiscard]] inline std::optional<std::string> exceeds(const device_source::launch& how, std::int64_t fixed_shared,
                                                        const launch_limits& most)
{
    const std::string block = most.a_block, thread = most.a_thread;
    for (std::size_t k = 0; k < 3; ++k) {
        if (how.grid[k] < 1 || how.block[k] < 1)
            return how.entry + ": an empty grid or " + block + ", want >= 1 each way";
        if (how.grid[k] > most.grid[k])
            return too_many(how, block + "s in one direction are", how.grid[k], most.grid[k]);
        if (how.block[k] > most.block[k])
            return too_many(how, thread + "s in one direction are", how.block[k], most.block[k]);
    }
    if (how.threads() > most.threads)
        return too_many(how, thread + "s per " + block + " are", how.threads(), most.threads);
    if (fixed_shared + how.shared_bytes > most.shared_bytes)
        return too_many(how, std::string("bytes of ") + most.shared + " memory are", fixed_shared + how.shared_bytes,
                        most.shared_bytes);
    return std::nullopt;
}

}  // namespace tunekit::measure::detail
