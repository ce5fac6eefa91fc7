// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The standard normal variate.

#include <cmath>

#include "tunekit/random/uniform.hpp"

namespace tunekit::random {

/// A draw from N(0, 1).
/// Source: Marsaglia, Bray (1964), A Convenient Method for Generating Normal Variables, SIAM Review 6; its second variate is dropped.
template <generator G>
[[nodiscard]] double normal(G& gen)
{
    for (;;) {
        const double u = 2 * uniform_01(gen) - 1;
        const double v = 2 * uniform_01(gen) - 1;
        const double s = u * u + v * v;
        if (s > 0 && s < 1) return u * std::sqrt(-2 * std::log(s) / s);
    }
}

}  // namespace tunekit::random
