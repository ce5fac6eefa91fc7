// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A configuration that is compared with the best one while it is tried.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "tunekit/online/detail/recent.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::online::detail {

/// One configuration that is compared, with its times. A regular value.
struct contender {
    index candidate = 0;
    recent times{};

    /// The calls that a candidate gets which is not slower than this one: `runs`, and more where these times say
    /// little.
    [[nodiscard]] std::uint64_t calls_of_others(std::uint32_t runs) const noexcept
    {
        const double noise = times.spread() / 0.07;
        return std::clamp(static_cast<std::uint64_t>((std::min)(1e3, runs * noise * noise)), std::uint64_t{runs},
                          std::uint64_t{recent::capacity});
    }

    /// Whether a candidate's times say that it is slower than this one, which takes `cost`.
    [[nodiscard]] bool beats(const recent& theirs, double cost) const noexcept
    {
        const double noise = times.spread();
        const std::uint64_t n = theirs.seen();
        // Disturbances only add time: so the fastest counts, and where there are more times, their median.
        const double slower = n == 1 ? 1.3 + 2 * noise : n == 2 ? 1.1 + noise : 1.02;
        return theirs.fastest() > slower * cost ||
               (n > 3 && theirs.median() > (1.02 + 2.5 * noise / std::sqrt(static_cast<double>(n))) * cost);
    }

    friend bool operator==(const contender&, const contender&) = default;
};

}  // namespace tunekit::online::detail
