// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The infinitesimal jackknife: the sampling variance of a bagged mean, computed from the rows that each tree saw.

#include <cstddef>
#include <cstdint>
#include <span>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/core/detail/unit.hpp"
#include "tunekit/core/error.hpp"

namespace tunekit::surrogate {

/// The infinitesimal jackknife of H trees over n rows, as a quadratic form in the centred tree predictions c.
///
///     const auto ij = jackknife(counts, trees);       // counts: H x n, times tree b drew row i
///     const double v = ij.variance(c);                // unbiased form; may be negative
///
/// V = sum_i Cov_i^2 - n vN/H mean_b(c_b^2), Cov_i = 1/H sum_b (N_bi - 1) c_b, vN = mean_i Var_b(N_bi). The first term
/// is c' G c with G = M M' / H^2, M = N - 1. G is computed once, trees x trees, instead of trees x rows for each point.
/// The correction is n/H times the variance over trees. If H is much less than n, most of the result is noise.
///
/// Cost:   O(H^2 n) once; H^2/2 multiplications per variance.
/// Source: Wager, Hastie, Efron (2014), Confidence Intervals for Random Forests, JMLR 15, equations 5 and 7.
/// Departures: the variance of the counts is measured, as in forestci, and over all rows. The paper takes 1.
class jackknife {
public:
    jackknife() = default;

    /// Makes the quadratic form. Throws std::invalid_argument unless counts holds `trees` > 0 rows of equal length.
    jackknife(std::span<const std::uint32_t> counts, std::size_t trees);

    [[nodiscard]] std::size_t trees() const noexcept { return trees_; }

    /// The variance at one point, at any scale. `centred` are the H tree predictions less their mean.
    [[nodiscard]] double variance(std::span<const double> centred) const;

    /// The variances at m points: centred[b * m + r] is tree b at point r. NaN where squares overflow.
    void variances(const double* centred, std::size_t m, double* out) const;

    friend bool operator==(const jackknife&, const jackknife&) = default;

private:
    std::size_t trees_ = 0;
    core::plain_vector<double> gram_;  // trees x trees
    double correction_ = 0;            // n vN / H
};

}  // namespace tunekit::surrogate

#if TUNEKIT_BODIES
namespace tunekit::surrogate {

TUNEKIT_INLINE jackknife::jackknife(std::span<const std::uint32_t> counts, std::size_t trees)
    : trees_(trees), gram_(trees * trees)
{
    require(trees > 0 && !counts.empty() && counts.size() % trees == 0,
            "jackknife: counts are not trees x rows, want one row per tree");
    const std::size_t n = counts.size() / trees;
    const auto h = static_cast<double>(trees);
    core::plain_vector<std::int32_t> m(counts.size());
    for (std::size_t i = 0; i < m.size(); ++i) m[i] = static_cast<std::int32_t>(counts[i]) - 1;
    for (std::size_t a = 0; a < trees; ++a) {
        for (std::size_t b = 0; b <= a; ++b) {
            std::int32_t dot = 0;  // a bootstrap of n rows: |dot| is far below 2^31
            for (std::size_t i = 0; i < n; ++i) dot += m[a * n + i] * m[b * n + i];
            gram_[a * trees + b] = gram_[b * trees + a] = static_cast<double>(dot) / (h * h);
        }
    }
    std::int64_t spread = 0;  // sum_i (H sum_b N^2 - (sum_b N)^2) = H^2 n vN, in integers
    for (std::size_t i = 0; i < n; ++i) {
        std::int64_t first = 0;
        std::int64_t second = 0;
        for (std::size_t b = 0; b < trees; ++b) {
            const std::int64_t c = counts[b * n + i];
            first += c;
            second += c * c;
        }
        spread += static_cast<std::int64_t>(trees) * second - first * first;
    }
    correction_ = static_cast<double>(spread) / (h * h * h);
}

TUNEKIT_INLINE double jackknife::variance(std::span<const double> centred) const
{
    double out = 0;
    const double unit = core::detail::unit_of(core::detail::largest_magnitude(centred));
    core::plain_vector<double> divided(centred);
    for (double& c : divided) c /= unit;
    variances(divided.data(), 1, &out);
    return out * unit * unit;
}

TUNEKIT_INLINE void jackknife::variances(const double* centred, std::size_t m, double* out) const
{
    core::plain_vector<double> inner(m), squares(m);
    for (std::size_t r = 0; r < m; ++r) out[r] = 0;
    for (std::size_t b = 0; b < trees_; ++b) {
        const double* g = gram_.data() + b * trees_;
        const double* cb = centred + b * m;
        for (std::size_t r = 0; r < m; ++r) inner[r] = 0;
        std::size_t a = 0;
        for (; a + 4 <= b; a += 4) {  // the lower triangle, twice
            const double* c = centred + a * m;
            for (std::size_t r = 0; r < m; ++r)
                inner[r] += (g[a] * c[r] + g[a + 1] * c[m + r]) + (g[a + 2] * c[2 * m + r] + g[a + 3] * c[3 * m + r]);
        }
        for (; a < b; ++a)
            for (std::size_t r = 0; r < m; ++r) inner[r] += g[a] * centred[a * m + r];
        for (std::size_t r = 0; r < m; ++r) {
            out[r] += cb[r] * (2 * inner[r] + g[b] * cb[r]);
            squares[r] += cb[r] * cb[r];
        }
    }
    const double scale = correction_ / static_cast<double>(trees_);
    for (std::size_t r = 0; r < m; ++r) out[r] -= scale * squares[r];
}

}  // namespace tunekit::surrogate
#endif  // TUNEKIT_BODIES
