// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "tunekit/tune/recipe.hpp"

namespace support {

/// A strategy that is asked for a fixed number of configurations at a time.
template <class Strategy>
auto in_batches(std::size_t ahead, Strategy strategy, tunekit::candidate_limits limits = {})
{
    return tunekit::recipe{strategy, tunekit::measure::fixed{}, limits, ahead};
}

}  // namespace support
