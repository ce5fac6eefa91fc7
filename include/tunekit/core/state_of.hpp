// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Parameters and state apart: what `start` of a part returns is all that a run learns.

#include <utility>

#include "tunekit/core/config.hpp"

namespace tunekit::core {

/// `part.start(args...)` compiles for a const part: it makes the state of a run from values of these types.
template <class Part, class... Args>
concept starts_on = requires(const Part& part, const Args&... args) { part.start(args...); };

/// What `start` returns.
template <class Part, class... Args>
using state_of = decltype(std::declval<const Part&>().start(std::declval<const Args&>()...));

}  // namespace tunekit::core
