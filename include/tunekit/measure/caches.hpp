// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The state of the caches when a run begins, and how to empty them.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tunekit/core/detail/system/memory.hpp"

namespace tunekit::measure {

/// The state of the caches when a timed run begins. A kernel that takes the number of its run can have a third policy:
/// other data in each run.
enum class cache : std::uint8_t {
    warm,  ///< the state that the run before left
    cold,  ///< no useful data: other memory is written before each run, outside the timed window
};

/// A number of bytes that no cache of this machine holds: twice the last level, or 64 MiB where the system does not
/// give its size.
[[nodiscard]] inline std::size_t beyond_caches() noexcept
{
    const std::size_t bytes = core::detail::system::last_cache_bytes();
    return bytes > 0 ? 2 * bytes : std::size_t{64} << 20;
}

namespace detail {

/// Writes memory until the caches hold nothing else.
class flusher {
public:
    /// Writes `bytes` in each call; with 0 a call does nothing.
    explicit flusher(std::size_t bytes) : bytes_(bytes) {}

    void operator()() noexcept
    {
        volatile unsigned char* const at = bytes_.data();
        for (std::size_t i = 0; i < bytes_.size(); i += 64) at[i] = static_cast<unsigned char>(at[i] + 1);
    }

private:
    std::vector<unsigned char> bytes_;
};

}  // namespace detail

}  // namespace tunekit::measure
