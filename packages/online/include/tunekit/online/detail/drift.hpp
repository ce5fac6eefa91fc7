// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Whether one configuration has become slower than it was.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "tunekit/core/config.hpp"

namespace tunekit::online::detail {

/// Watches the logarithms of one configuration's times for a lasting rise. A regular value.
///
/// The rule is a cumulative sum: with x the logarithm of a time over the reference, s^2 the variance of x, and the rise
/// r = log 1.2 that is looked for, each time adds r / s^2 (x - r / 2) to the evidence, which never falls below 0, and
/// `alarm` is where it reaches 20. One time adds at most 2.5, so that a few disturbed calls say nothing. While nothing
/// changes, the expected number of times until an alarm is at least e^20 for normal x of known mean and variance
/// (Lorden's bound); with both learned from the first 512 times, none came in 10^7 simulated ones with noise of 5 and
/// of 20 %. A rise of 1.2 takes about 2 * 20 s^2 / r^2 times (48 at s = 0.2), and never less than 8.
///
/// Source: Page (1954), Continuous inspection schemes, Biometrika 41; Lorden (1971), Procedures for reacting to a
///         change in distribution, Ann. Math. Stat. 42.
class drift {
public:
    /// `seconds` is the time so far, which counts like `prior` times.
    explicit drift(double seconds) noexcept : reference_(std::log(seconds)) {}

    void add(double seconds) noexcept
    {
        const double x = std::log(seconds) - reference_;
        const double more = std::clamp(looked_for / variance_ * (x - looked_for / 2), -most, most);
        if (evidence_ + more <= 0) {
            evidence_ = rise_ = 0;
            rising_ = 0;
        } else {
            evidence_ += more;
            rise_ += x;
            ++rising_;
        }
        if (evidence_ < wanted / 4 && seen_ < learned_by) learn(x);
    }

    [[nodiscard]] bool alarm() const noexcept { return evidence_ >= wanted; }
    /// The mean of x since the evidence left 0, at least the rise that is looked for.
    [[nodiscard]] double rise() const noexcept
    {
        return rising_ == 0 ? looked_for : (std::max)(looked_for, rise_ / static_cast<double>(rising_));
    }
    /// The variance of x, at least `least`.
    [[nodiscard]] double variance() const noexcept { return variance_; }

    /// Takes the rise for the new normal, and learns it again from there.
    void accept() noexcept
    {
        reference_ += rise();
        evidence_ = rise_ = 0;
        rising_ = 0;
        seen_ = (std::min)(seen_, prior);
    }
    /// Begins the evidence anew; the reference stays.
    void calm() noexcept
    {
        evidence_ = rise_ = 0;
        rising_ = 0;
    }

    friend bool operator==(const drift&, const drift&) = default;

private:
    static constexpr double looked_for = 0.18232155679395462;  ///< log 1.2
    static constexpr double wanted = 20, most = wanted / 8;
    static constexpr double least = 0.03 * 0.03, assumed = 0.2 * 0.2;  ///< variances
    static constexpr std::uint32_t prior = 8, learned_by = 512;

    void learn(double x) noexcept
    {
        ++seen_;
        const double n = static_cast<double>(seen_ + prior);
        const double bound = 3 * std::sqrt(variance_);
        const double d = std::clamp(x, -bound, bound);
        reference_ += d / n;
        variance_ = (std::max)(least, variance_ + (d * d * (n - 1) / n - variance_) / n);
    }

    double reference_;
    double variance_ = assumed;
    double evidence_ = 0;
    double rise_ = 0;           ///< the sum of x since the evidence left 0
    std::uint32_t rising_ = 0;  ///< the number of times since
    std::uint32_t seen_ = 0;    ///< the times that were learned from
};

}  // namespace tunekit::online::detail
