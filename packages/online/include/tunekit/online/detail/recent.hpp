// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The last few times of one configuration.

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tunekit/core/config.hpp"

namespace tunekit::online::detail {

/// The last `capacity` times, whose median is the time of a call. So a call that was disturbed does not count, and
/// neither do times of long ago. A regular value.
class recent {
public:
    static constexpr std::size_t capacity = 15;

    constexpr void add(double seconds) noexcept
    {
        times_[seen_ % capacity] = seconds;
        ++seen_;
        summarise();
    }

    [[nodiscard]] constexpr std::uint64_t seen() const noexcept { return seen_; }

    /// The times that are kept, in no order.
    [[nodiscard]] constexpr std::span<const double> times() const noexcept
    {
        return {times_.data(), (std::min)(static_cast<std::size_t>(seen_), capacity)};
    }

    /// The median; of an even number the upper one of the two in the middle. Precondition: a time was added.
    [[nodiscard]] constexpr double median() const noexcept
    {
        assert(seen_ > 0);
        return median_;
    }

    /// The standard deviation as a share of the median, from the quartiles; 0 of fewer than four times.
    [[nodiscard]] constexpr double spread() const noexcept { return spread_; }

    [[nodiscard]] constexpr double fastest() const noexcept
    {
        assert(seen_ > 0);
        return *std::min_element(times().begin(), times().end());
    }

    friend constexpr bool operator==(const recent&, const recent&) = default;

private:
    constexpr void summarise() noexcept
    {
        std::array<double, capacity> sorted{};
        const std::size_t n = times().size();
        for (std::size_t i = 0; i < n;
             ++i) {  // not std::sort, of which g++ 12 at -O3 believes that it goes beyond the end
            std::size_t at = i;
            for (; at > 0 && sorted[at - 1] > times_[i]; --at) sorted[at] = sorted[at - 1];
            sorted[at] = times_[i];
        }
        median_ = sorted[n / 2];
        if (n >= 4) spread_ = (sorted[n - 1 - n / 4] - sorted[n / 4]) / (1.35 * median_);
    }

    std::array<double, capacity> times_{};
    std::uint64_t seen_ = 0;
    double median_ = 0, spread_ = 0;
};

}  // namespace tunekit::online::detail
