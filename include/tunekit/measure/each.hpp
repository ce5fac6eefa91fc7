// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Hands over each measurement of a batch as soon as it is there.

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/concepts.hpp"

namespace tunekit::measure {

/// A measurer that can tell each result before the batch is over: `measure(batch, limits, each)` calls `each(measurement)`
/// once per candidate, in the batch's order, and returns nothing. Worth having where a batch is built together.
template <class M>
concept streaming_measurer = measurer<M> &&
    requires(M& m, std::span<const index> batch, const limits& l, void (&each)(measurement)) {
    { m.measure(batch, l, each) } -> std::same_as<void>;
};

/// Measures `batch` and calls `each(measurement)` per candidate, in order, the moment it is known: by streaming where the
/// measurer can, else one candidate at a time.
template <measurer M, class Each>
void measure_each(M& m, std::span<const index> batch, const limits& l, Each&& each)
{
    if constexpr (streaming_measurer<M>) {
        m.measure(batch, l, each);
    } else {
        for (std::size_t i = 0; i < batch.size(); ++i) {
            auto one = m.measure(batch.subspan(i, 1), l);
            if (one.size() != 1) throw error("measure_each: the measurer did not answer its candidate");
            each(std::move(one.front()));
        }
    }
}

}  // namespace tunekit::measure
