// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// From the disagreement of models to an honest sd: a line through the errors of rows that they did not see.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/linalg/elementary.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace tunekit::surrogate::detail {

/// The unbiased variance of `count` >= 2 values from their sum and sum of squares.
[[nodiscard]] inline double sample_variance(double first, double second, std::size_t count)
{
    const auto n = static_cast<double>(count);
    return (std::max)(0.0, (second - first * first / n) / (n - 1));
}

/// A squared error, and the variance over the models that made it.
struct unseen_error {
    double square = 0;
    double spread = 0;
};

/// Of each row, the errors of the models that did not see it.
class unseen_errors {
public:
    explicit unseen_errors(std::size_t rows) : first_(rows), second_(rows), count_(rows) {}

    void add(std::size_t row, double error)
    {
        first_[row] += error;
        second_[row] += error * error;
        ++count_[row];
    }

    /// Of the rows that two models or more did not see: how wrong their mean is, and how divided they are.
    [[nodiscard]] std::vector<unseen_error> found() const;

private:
    std::vector<double> first_, second_;  // sums of errors and of their squares
    std::vector<std::size_t> count_;
};

/// sd^2 = constant + slope spread.
struct spread_scale {
    double constant = 0;
    double slope = 1;

    friend bool operator==(const spread_scale&, const spread_scale&) = default;

    [[nodiscard]] double sd(double spread) const { return std::sqrt(constant + slope * spread); }
};

/// The scale of greatest Gaussian likelihood among shares of the constant of 1/32 ... 1, which is no spread at all.
/// For a share c the variances are proportional to w = c mean(spread) + (1 - c) spread, and the factor is
/// mean(square / w). Without errors to learn from the spread stays as it is.
[[nodiscard]] spread_scale calibrate(std::span<const unseen_error> errors);

/// Half of n rows, rounded up, drawn without replacement, ascending: member k of a fit.
[[nodiscard]] std::vector<std::uint32_t> random_half(std::size_t n, std::uint64_t key, std::uint32_t purpose,
                                                     std::uint64_t k);

}  // namespace tunekit::surrogate::detail

#if TUNEKIT_BODIES
namespace tunekit::surrogate::detail {

TUNEKIT_INLINE std::vector<unseen_error> unseen_errors::found() const
{
    std::vector<unseen_error> out;
    for (std::size_t i = 0; i < count_.size(); ++i) {
        if (count_[i] < 2) continue;
        const double error = first_[i] / static_cast<double>(count_[i]);
        out.push_back({.square = error * error, .spread = sample_variance(first_[i], second_[i], count_[i])});
    }
    return out;
}

TUNEKIT_INLINE spread_scale calibrate(std::span<const unseen_error> errors)
{
    if (errors.empty()) return {};
    const auto n = static_cast<double>(errors.size());
    double square = 0;
    double spread = 0;
    for (const auto& e : errors) {
        square += e.square / n;
        spread += e.spread / n;
    }
    spread_scale best{.constant = square, .slope = 0};
    if (!(spread > 0) || !(square > 0)) return best;
    double best_loss = n * linalg::log(square);  // twice the negative log likelihood, less what all have in common
    for (const double share : {0.5, 0.25, 0.125, 0.0625, 0.03125}) {
        double factor = 0;
        double logs = 0;
        for (const auto& e : errors) {
            const double w = share * spread + (1 - share) * e.spread;
            factor += e.square / w / n;
            logs += linalg::log(w);
        }
        const double loss = n * linalg::log(factor) + logs;
        if (!(loss < best_loss)) continue;
        best_loss = loss;
        best = {.constant = factor * share * spread, .slope = factor * (1 - share)};
    }
    return best;
}

TUNEKIT_INLINE std::vector<std::uint32_t> random_half(std::size_t n, std::uint64_t key, std::uint32_t purpose,
                                                      std::uint64_t k)
{
    auto gen = random::stream(key, purpose, k);
    std::vector<std::uint32_t> rows(n);
    std::iota(rows.begin(), rows.end(), std::uint32_t{0});
    const std::size_t half = (n + 1) / 2;
    for (std::size_t i = 0; i < half; ++i) std::swap(rows[i], rows[i + random::uniform_index(n - i, gen)]);
    rows.resize(half);
    std::sort(rows.begin(), rows.end());
    return rows;
}

}  // namespace tunekit::surrogate::detail
#endif  // TUNEKIT_BODIES
