// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A batch whose answers come one by one, where the measurer can do that.

#include <span>

#include "tunekit/measure/concepts.hpp"

namespace tunekit::detail {

/// Measures a batch. `some(answers)` gets them one at a time from a measurer that streams, else all at once.
template <class Measurer, class Some>
void measure_in_parts(Measurer& measurer, std::span<const index> batch, const measure::limits& l, Some&& some)
{
    if constexpr (requires { measurer.measure_in_parts(batch, l, some); }) {
        measurer.measure_in_parts(batch, l, some);
    } else if constexpr (measure::streaming_measurer<Measurer>) {
        measurer.measure(batch, l, [&some](measure::measurement m) { some(std::span(&m, 1)); });
    } else {
        auto all = measurer.measure(batch, l);
        some(std::span(all));
    }
}

}  // namespace tunekit::detail
