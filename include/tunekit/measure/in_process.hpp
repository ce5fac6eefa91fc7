// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A measurer that runs candidates in the calling process.

#include <span>
#include <utility>
#include <vector>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::measure {

namespace detail {

/// The measurer that `in_process` returns.
template <space::typed Space, class Timed>
class in_process_measurer {
    // Checked here as well as in `timed`, so that a compiler's message begins with it.
    static_assert(sizeof(fits_timed<misfit_for<Timed, typename Space::config>>) > 0);

public:
    /// Takes over both. Throws std::invalid_argument if a setting of `how` is out of range.
    in_process_measurer(Space space, Timed how) : space_(std::move(space)), how_(std::move(how)) { how_.validate(); }

    [[nodiscard]] std::vector<measurement> measure(std::span<const index> batch, const limits& within)
    {
        return collected(*this, batch, within);
    }
    /// The same, with `each(measurement)` as soon as a candidate is measured.
    template <class Each>
    void measure(std::span<const index> batch, const limits& within, Each&& each)
    {
        for (const index i : batch) each(how_(space_.at(i), within));
    }

    [[nodiscard]] bool measures_time() const { return measure::measures_time(how_); }

private:
    Space space_;
    Timed how_;
};

}  // namespace detail

/// Measures the configurations of `space`, one after another, in this process and on this thread.
///
///     auto measure = in_process(space, timed{time_kernel, until_stable{}, check});
///
/// Use it for kernels that you trust: one that crashes or hangs ends or blocks the program. Use `isolated` if that
/// may happen. limits::run_seconds is checked between runs only. Copies or moves `space` and `how`.
///
/// Throws:     std::invalid_argument if a setting of `how` is out of range.
/// Cost:       32 readings of the clock and what the kernel takes.
template <space::typed Space, class Timed>
[[nodiscard]] detail::in_process_measurer<Space, Timed> in_process(Space space, Timed how)
{
    return {std::move(space), std::move(how)};
}

}  // namespace tunekit::measure
