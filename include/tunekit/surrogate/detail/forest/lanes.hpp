// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Short vectors for walking many rows at once. Lane-wise comparisons, choices and additions only, so that every
/// width gives the same results.

#include <cstddef>
#include <cstdint>

#include "tunekit/core/lanes.hpp"

namespace tunekit::surrogate::detail {

using core::lane_bytes;
using core::load;
using core::store;
using float_lanes = core::lanes<float>;
using byte_lanes = core::lanes<std::int8_t>;
inline constexpr std::size_t floats = lane_bytes / sizeof(float);
inline constexpr std::size_t bytes = lane_bytes;

}  // namespace tunekit::surrogate::detail
