// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The state of a part: the value that its `start` returns. It holds all that a run learns.

#include <utility>

#include "tunekit/core/config.hpp"

namespace tunekit::core::detail {

/// A part that makes the state of a run: `part.start(args...)` compiles for a const part and values of these types.
template <class Part, class... Args>
concept starts_on = requires(const Part& part, const Args&... args) { part.start(args...); };

/// The type that `start` returns.
template <class Part, class... Args>
using state_of = decltype(std::declval<const Part&>().start(std::declval<const Args&>()...));

}  // namespace tunekit::core::detail
