// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Pages of memory, and the sizes that a machine gives.

#include <cstddef>

#include "tunekit/core/detail/system.hpp"

namespace tunekit::system::detail {

/// The bytes of a page of memory.
[[nodiscard]] std::size_t page_bytes() noexcept;

/// Bytes of one unit of `rusage::ru_maxrss`.
inline constexpr double resident_unit = TUNEKIT_ON_APPLE ? 1 : 1024;

/// What may be done with a page.
enum class access : unsigned char { none, read, write };

/// Pages that nobody may touch, shared with processes forked later; nullptr where the system gives none.
[[nodiscard]] void* map_pages(std::size_t bytes) noexcept;

/// Gives back what `map_pages` gave.
void unmap_pages(void* at, std::size_t bytes) noexcept;

/// Changes what may be done with pages. False where the system refuses.
[[nodiscard]] bool protect_pages(void* at, std::size_t bytes, access allowed) noexcept;

/// Asks for pages of 2 MiB for memory at a multiple of that. It is advice: nothing depends on it.
void prefer_large_pages(void* at, std::size_t bytes) noexcept;

/// The bytes of the last level of caches; 0 where the system does not say.
[[nodiscard]] std::size_t last_cache_bytes() noexcept;

}  // namespace tunekit::system::detail
