// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The evidence of a race: test martingales for the bias of a coin, and for the middle of symmetric numbers.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace tunekit::measure::detail {

/// The evidence, as an e-value, that a coin which showed `heads` in `n` throws shows heads more often than not.
///
///     E = 2 * 2^n * integral_{1/2}^{1} p^heads (1 - p)^(n - heads) dp
///       = sum_{j <= heads} C(n + 1, j) / ((n + 1) C(n, heads))
///
/// For a coin that does not, the expectation of E after each throw is at most its value before.
[[nodiscard]] inline double evidence(std::uint32_t heads, std::uint32_t n) noexcept
{
    const double next = static_cast<double>(n) + 1;
    double term = next / (next - heads);  // C(n + 1, heads) / C(n, heads)
    double sum = 0;
    for (double j = heads;; j -= 1) {
        sum += term;
        if (j < 1) break;
        term *= j / (next + 1 - j);
    }
    return sum / next;
}

/// The largest x such that `values` show their median above every y < x at the given evidence; -inf where there is
/// none.
[[nodiscard]] inline double median_at_least(std::vector<double> values, double wanted)
{
    std::sort(values.begin(), values.end());
    const auto n = static_cast<std::uint32_t>(values.size());
    double bound = -std::numeric_limits<double>::infinity();
    for (std::uint32_t k = 0; k < n && evidence(n - k, n) >= wanted; ++k) bound = values[k];
    return bound;
}

/// The evidence that symmetric numbers have their middle above `middle`: the E of `over`, of d = values - middle.
[[nodiscard]] inline double evidence_above(std::span<const double> values, double middle) noexcept
{
    double sum = 0;
    for (int k = 0; k < 11; ++k) {
        double product = 1;
        for (const double y : values) product *= 2 / (1 + std::exp(-std::ldexp(y - middle, k)));
        sum += product;
    }
    return sum / 11;
}

/// The largest middle >= 0 that `values` show to be exceeded at the given evidence; -inf where they do not show 0.
[[nodiscard]] inline double shown_above(std::span<const double> values, double wanted) noexcept
{
    if (values.empty() || !(evidence_above(values, 0) >= wanted)) return -std::numeric_limits<double>::infinity();
    double low = 0, high = *std::max_element(values.begin(), values.end());
    for (int k = 0; k < 50; ++k) (evidence_above(values, (low + high) / 2) >= wanted ? low : high) = (low + high) / 2;
    return low;
}

/// The evidence at which a finalist drops out of a race of m = `finalists`. The m (m - 1) ordered pairs share the
/// probability of error, 1 - confidence.
[[nodiscard]] inline double wanted_evidence(std::size_t finalists, double confidence) noexcept
{
    const auto m = static_cast<double>(finalists);
    return (std::max)(1.0, m * (m - 1)) / (1 - confidence);
}

}  // namespace tunekit::measure::detail
