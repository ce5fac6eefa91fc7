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
        std::array<double, capacity> sorted = times_;
        const std::size_t n = times().size();
        const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(n / 2);
        std::nth_element(sorted.begin(), middle, sorted.begin() + static_cast<std::ptrdiff_t>(n));
        return *middle;
    }

    [[nodiscard]] constexpr double fastest() const noexcept
    {
        assert(seen_ > 0);
        return *std::min_element(times().begin(), times().end());
    }

    friend constexpr bool operator==(const recent&, const recent&) = default;

private:
    std::array<double, capacity> times_{};
    std::uint64_t seen_ = 0;
};

}  // namespace tunekit::online::detail
