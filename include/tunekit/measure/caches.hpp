// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The state of the caches when a run begins, and how to empty them.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tunekit::measure {

/// The state of the caches when a timed run begins.
enum class cache : std::uint8_t {
    warm,  ///< the state that the run before left
    cold,  ///< no useful data: other memory is written before each run, outside the timed window
};

namespace detail {

/// Bytes that few caches hold. Who can ask the system writes twice its last level instead: `isolated` does.
inline constexpr std::size_t usual_flush = std::size_t{64} << 20;

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
