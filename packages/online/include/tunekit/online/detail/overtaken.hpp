// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Whether one configuration has become faster than another.

#include <algorithm>

#include "tunekit/core/config.hpp"

namespace tunekit::online::detail {

/// Watches pairs of runs of two configurations, for any length of time, and reports when the second has become faster.
///
/// With p = 0.9, a pair multiplies the evidence by 2 p where the second was faster, and by 2 (1 - p) where it was not.
/// Evidence below 1 counts as 1 before the next pair. While the second is faster in at most every other pair, the
/// expected number of pairs until `alarm` is at least 2000, for any distribution of the times. Where the second is
/// always faster, 13 pairs are enough.
/// Source: Shin, Ramdas, Rinaldo (2022), E-detectors: a nonparametric framework for sequential change detection.
class overtaken {
public:
    /// Adds one pair of runs.
    constexpr void add(bool second_was_faster) noexcept
    {
        evidence_ = (std::max)(evidence_, 1.0) * (second_was_faster ? 2 * bet : 2 * (1 - bet));
    }

    [[nodiscard]] constexpr bool alarm() const noexcept { return evidence_ >= wanted; }

    friend constexpr bool operator==(const overtaken&, const overtaken&) = default;

private:
    static constexpr double bet = 0.9;
    static constexpr double wanted = 2000;

    double evidence_ = 1;
};

}  // namespace tunekit::online::detail
