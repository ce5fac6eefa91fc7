// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What a cold run writes, where the system can be asked for the size of its caches.

#include <cstddef>

#include "tunekit/processes/detail/system/memory.hpp"

namespace tunekit::measure::detail {

/// Where `how` is a `timed` that says no number of bytes, its cold runs write twice the last level of caches.
template <class Timed>
void flush_last_cache(Timed& how)
{
    if constexpr (requires(std::size_t bytes) { how.options.flush_bytes = bytes; })
        if (how.options.flush_bytes == 0) how.options.flush_bytes = 2 * system::detail::last_cache_bytes();
}

}  // namespace tunekit::measure::detail
