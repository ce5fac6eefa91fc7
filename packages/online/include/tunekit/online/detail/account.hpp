// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The account of seconds that tuning may still cost.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "tunekit/core/config.hpp"

namespace tunekit::online::detail {

/// The books of one context while it is open, in seconds. Let t be the time of a call, d the default's and c that of
/// the best known configuration. Each call adds d to `default_only` and max(0, d - c) to `saved`. A call that tries
/// something adds max(0, t - c) to `lost`. So t - d is never more than what the call added to lost - saved. A regular
/// value.
struct account {
    double regret = 0;        ///< the share of default_only that may be lost
    double reinvest = 0;      ///< in [0, 1]; the share of `saved` that may be lost
    double default_only = 0;  ///< the time of all calls if the default had run them
    double best_only = 0;     ///< the time of all calls with the best configuration at the time of each
    double saved = 0;
    double lost = 0;

    /// Adds n calls of the best configuration.
    constexpr void pass(double n, double d, double c) noexcept
    {
        default_only += n * d;
        best_only += n * c;
        saved += n * (std::max)(0.0, d - c);
    }

    /// The seconds that may be lost now. With a share, they are also limited to that share of the time spent.
    [[nodiscard]] constexpr double room(std::optional<double> share = {}) const noexcept
    {
        const double all = regret * default_only + reinvest * saved - lost;
        return share ? (std::min)(all, *share * best_only - lost) : all;
    }

    /// Whether a call may lose `loss` seconds.
    [[nodiscard]] constexpr bool affords(double loss, std::optional<double> share = {}) const noexcept
    {
        return loss <= room(share);
    }

    /// The number of calls of the best configuration until `loss` is affordable; 0 where it is now.
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
