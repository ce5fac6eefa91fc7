// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Measuring in the calling process.

#include <span>
#include <utility>
#include <vector>

#include "tunekit/measure/timed.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::measure {

/// What `in_process` returns: a measurer.
template <space::typed Space, class Timed>
class in_process_measurer {
public:
    in_process_measurer(Space space, Timed how) : space_(std::move(space)), how_(std::move(how)) { how_.validate(); }

    [[nodiscard]] std::vector<measurement> measure(std::span<const index> batch, const limits& within)
    {
        std::vector<measurement> out;
        out.reserve(batch.size());
        for (const index i : batch)
            out.push_back(how_(space_.at(i), within));
        return out;
    }

private:
    Space space_;
    Timed how_;
};

/// Measures the configurations of `space`, one after another, in this process and on this thread.
///
///     auto measure = in_process(space, timed{time_kernel, until_stable{}, check});
///
/// For kernels that are known to behave: one that crashes or hangs takes the program with it; use `isolated` where that
/// may happen. limits::run_seconds is looked at between runs. Copies or moves `space` and `how`. Throws:
/// std::invalid_argument where a setting of `how` is out of range. Cost:       32 readings of the clock and what the
/// kernel takes.
template <space::typed Space, class Timed>
[[nodiscard]] in_process_measurer<Space, Timed> in_process(Space space, Timed how)
{
    return {std::move(space), std::move(how)};
}

}  // namespace tunekit::measure
