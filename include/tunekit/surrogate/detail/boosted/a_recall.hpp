// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Average recall: how early a model's ranking finds the best of what was measured.

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "tunekit/core/compiled.hpp"

namespace tunekit::surrogate::detail {

/// Average recall at N of predictions against fixed targets; more is better in both.
///
///     a_recall score(y, 64);
///     const double now = score(predicted);
///
/// With rows sorted by prediction and r_j the true rank of the j-th (0 is best), curve[i] = #{ j < i : r_j <= i } /
/// (i + 1), and the score is the mean of curve[0 ... N - 1], 0 where there is no i-th row. A perfect ranking of n >= N
/// rows scores 1/N sum_i i / (i + 1) < 1. Ties go to the lower row, in both rankings.
///
/// Cost:   O(n log n) once, O(n + N log N) per score.
/// Source: TVM's XGBoost cost model, `xgb_average_recalln_curve_score`.
class a_recall {
public:
    /// Precondition: no NaN, at_most > 0.
    a_recall(std::span<const double> truth, std::size_t at_most);

    /// The score of one prediction per row. Precondition: as many as targets, no NaN.
    template <class T>
    [[nodiscard]] double operator()(std::span<T> predicted)
    {
        assert(predicted.size() == rank_.size());
        const std::size_t top = (std::min)(at_most_, rank_.size());
        std::iota(order_.begin(), order_.end(), std::uint32_t{0});
        const auto before = [&](std::uint32_t a, std::uint32_t b) {
            return predicted[a] > predicted[b] || (predicted[a] == predicted[b] && a < b);
        };
        const auto middle = order_.begin() + static_cast<std::ptrdiff_t>(top);
        std::nth_element(order_.begin(), middle, order_.end(), before);
        std::sort(order_.begin(), middle, before);
        seen_.assign(top + 1, 0);
        double sum = 0;
        std::size_t found = 0;
        for (std::size_t i = 1; i < top; ++i) {  // curve[0] is 0
            const std::size_t r = rank_[order_[i - 1]];
            if (r <= i) ++found;
            else if (r < top) seen_[r] = 1;  // counts from i = r on
            found += seen_[i];
            sum += static_cast<double>(found) / static_cast<double>(i + 1);
        }
        return sum / static_cast<double>(at_most_);
    }

private:
    std::size_t at_most_;
    std::vector<std::uint32_t> rank_, order_;
    std::vector<std::uint8_t> seen_;
};

}  // namespace tunekit::surrogate::detail

#if TUNEKIT_BODIES
namespace tunekit::surrogate::detail {

TUNEKIT_INLINE a_recall::a_recall(std::span<const double> truth, std::size_t at_most)
    : at_most_(at_most), rank_(truth.size())
{
    assert(at_most > 0);
    order_.resize(truth.size());
    std::iota(order_.begin(), order_.end(), std::uint32_t{0});
    std::sort(order_.begin(), order_.end(),
              [&](std::uint32_t a, std::uint32_t b) { return truth[a] > truth[b] || (truth[a] == truth[b] && a < b); });
    for (std::uint32_t r = 0; r < order_.size(); ++r) rank_[order_[r]] = r;
}

}  // namespace tunekit::surrogate::detail
#endif  // TUNEKIT_BODIES
