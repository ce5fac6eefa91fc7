// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Targets of a random forest as integers, exact in any order.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tunekit/core/detail/plain_vector.hpp"

namespace tunekit::surrogate::detail {

/// Targets for choosing splits, rounded to integers so that their sums are exact in any order. One word per row:
/// the target in the high bits, the weight in the low `count_bits`; words add without carrying into each other.
struct packed_targets {
    unsigned count_bits = 0;
    core::plain_vector<std::uint64_t> word;  ///< of weight 1; times w for weight w

    static constexpr std::size_t max_rows = (std::size_t{1} << 20) - 1;  ///< leaves 24 bits to a target

    /// Precondition: y finite, not empty, its range finite, at most max_rows.
    explicit packed_targets(std::span<const double> y) : word(y.size())
    {
        count_bits = static_cast<unsigned>(std::bit_width(y.size()));
        const auto [low, high] = std::minmax_element(y.begin(), y.end());
        const double range = *high - *low;
        // weights that sum to n times targets below 2^bits sum below 2^52, what a double holds exactly, and fit a word
        const unsigned bits = (std::min)(52U, 64U - count_bits) - count_bits;
        const auto scale = static_cast<double>((std::uint64_t{1} << bits) - 1);
        for (std::size_t i = 0; i < y.size(); ++i) {
            const double t = range > 0 ? (y[i] - *low) / range : 0;
            word[i] = static_cast<std::uint64_t>(t * scale) << count_bits | 1;
        }
    }

    [[nodiscard]] std::uint64_t count(std::uint64_t w) const noexcept
    {
        return w & ((std::uint64_t{1} << count_bits) - 1);
    }
    [[nodiscard]] double sum(std::uint64_t w) const noexcept { return to_double(w >> count_bits); }

    /// An integer below 2^52 as a double through its bits, those of 2^52 with it in the last places: this vectorises
    /// where a conversion does not.
    [[nodiscard]] static double to_double(std::uint64_t below_2_52) noexcept
    {
        return std::bit_cast<double>(below_2_52 | std::bit_cast<std::uint64_t>(0x1p52)) - 0x1p52;
    }

    /// What a split is judged by, more is better: sum^2 / count of both sides. Minimising the squared error is
    /// maximising it.
    [[nodiscard]] double gain(std::uint64_t left, std::uint64_t right) const noexcept
    {
        const double sl = sum(left);
        const double sr = sum(right);
        const auto nl = static_cast<double>(static_cast<std::int32_t>(count(left)));
        const auto nr = static_cast<double>(static_cast<std::int32_t>(count(right)));
        return sl * sl / nl + sr * sr / nr;
    }
};

}  // namespace tunekit::surrogate::detail
