// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What tuning may still cost.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "tunekit/core/config.hpp"

namespace tunekit::online::detail {

/// The books of one context while it is open, in seconds. With t the time of a call, d the default's and c that of the best
/// configuration known, each call adds d to `default_only` and max(0, d - c) to `saved`, and one that tries something
/// adds max(0, t - c) to `lost`; so t - d is never more than what it added to lost - saved. A regular value.
struct account {
    double regret = 0;        ///< share of default_only that may be lost
    double reinvest = 0;      ///< share of what was saved that may be, in [0, 1]
    double default_only = 0;  ///< what all calls would have taken with the default
    double best_only = 0;     ///< and with what was the best configuration at the time
    double saved = 0;
    double lost = 0;

    /// n calls of the best configuration.
    constexpr void pass(double n, double d, double c) noexcept
    {
        default_only += n * d;
        best_only += n * c;
        saved += n * (std::max)(0.0, d - c);
    }

    /// What may be lost now. With a share, also no more than that share of the time spent.
    [[nodiscard]] constexpr double room(std::optional<double> share = {}) const noexcept
    {
        const double all = regret * default_only + reinvest * saved - lost;
        return share ? (std::min)(all, *share * best_only - lost) : all;
    }

    /// Whether a call may lose so much.
    [[nodiscard]] constexpr bool affords(double loss, std::optional<double> share = {}) const noexcept
    {
        return loss <= room(share);
    }

    /// How many calls of the best configuration it takes until `loss` is affordable; 0 where it is.
    [[nodiscard]] std::uint64_t calls_until(double loss, double d, double c,
                                            std::optional<double> share = {}) const noexcept
    {
        const auto calls = [loss](double room, double each) {
            return loss <= room ? 0 : std::ceil((loss - room) / (std::max)(each, 1e-300));
        };
        double n = calls(room(), regret * d + reinvest * (std::max)(0.0, d - c));
        if (share) n = (std::max)(n, calls(*share * best_only - lost, *share * c));
        constexpr std::uint64_t never = std::uint64_t{1} << 62;
        return n < 4e18 ? static_cast<std::uint64_t>(n) : never;
    }

    friend bool operator==(const account&, const account&) = default;
};

}  // namespace tunekit::online::detail
