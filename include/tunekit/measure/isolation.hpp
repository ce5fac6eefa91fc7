// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What holds a candidate that is measured in a child process.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tunekit/measure/guarded_buffer.hpp"

namespace tunekit::measure {

/// Who holds a candidate to its memory.
enum class memory_rule : std::uint8_t {
    address_space,  ///< the system: RLIMIT_AS, allocations beyond it fail
    resident,       ///< the parent: looks every 10 ms and kills; for what maps far more than it uses
};

namespace detail {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace detail

/// Settings of `isolated`.
struct isolation {
    std::vector<canary> canaries{};  ///< of the buffers that candidates write; those must outlive the measurer
    /// What a candidate may add to what the worker begins with; 0: no limit.
    std::size_t memory_bytes = std::size_t{4} << 30;
    memory_rule rule = detail::sanitized ? memory_rule::resident : memory_rule::address_space;
};

}  // namespace tunekit::measure
