// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The mean of a Gaussian process over columns of few values each.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/detail/lanes.hpp"
#include "tunekit/core/detail/pack.hpp"
#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/linalg/elementary.hpp"
#include "tunekit/surrogate/detail/process/posterior.hpp"

namespace tunekit::surrogate::detail {

/// The mean of a posterior at rows whose columns have the values 0, 1, ...: what each of them adds to the squared
/// distance from each row of the Gaussian process is computed once and looked up. A regular value; it needs the
/// posterior no more.
///
/// Cost: 8 bytes per value and row; a mean takes an addition per column and row, and a covariance per row.
class looked_up {
public:
    /// `values` has the number of values of each column.
    looked_up(const posterior& s, std::span<const std::size_t> values);

    /// The mean where column c has the value at[c].
    [[nodiscard]] double mean(std::span<const std::uint16_t> at) const;

private:
    double unit_ = 1, mean_ = 0;                     // of the targets, the mean in units
    core::plain_vector<double> weights_;             // of each row; 0 behind the last one, for whole strips
    std::vector<core::plain_vector<double>> terms_;  // of a column [value][row]
};

}  // namespace tunekit::surrogate::detail

#if TUNEKIT_BODIES
namespace tunekit::surrogate::detail {

TUNEKIT_INLINE looked_up::looked_up(const posterior& s, std::span<const std::size_t> values)
    : unit_(s.unit), mean_(s.mean), weights_(strips_for(s.size()) * strip), terms_(values.size())
{
    const std::size_t n = weights_.size();
    const std::vector<double> weights = s.weights();
    for (std::size_t i = 0; i < weights.size(); ++i) weights_[i] = s.covariance.variance * weights[i];
    for (std::size_t j = 0; j < values.size(); ++j) terms_[j].resize(values[j] * n);
    for (std::size_t c = 0; c < s.coordinates.size(); ++c) {
        const coordinate& of = s.coordinates[c];
        for (std::size_t v = 0; v < values[of.column]; ++v) {
            const double x = (static_cast<double>(v) - of.offset) / of.range;
            double* to = terms_[of.column].data() + v * n;
            for (std::size_t i = 0; i < n; i += core::detail::pack_size) {
                const double* z = s.points.of(i / strip) + c * strip + i % strip;
                core::detail::store(core::detail::load(to + i) + s.covariance.delta(c, x, z), to + i);
            }
        }
    }
}

TUNEKIT_INLINE double looked_up::mean(std::span<const std::uint16_t> at) const
{
    const std::size_t n = weights_.size();
    core::detail::lane_sum sum;
    for (std::size_t i = 0; i < n; i += core::detail::pack_size) {
        core::detail::pack apart{};
        for (std::size_t j = 0; j < at.size(); ++j) apart += core::detail::load(terms_[j].data() + at[j] * n + i);
        core::detail::pack v = 5.0 * apart;
        core::detail::sqrt(v);
        sum.add(i % strip / core::detail::pack_size,
                core::detail::load(weights_.data() + i) * ((1.0 + v + v * v * (1.0 / 3)) * linalg::exp(-v)));
    }
    return (mean_ + sum.total()) * unit_;
}

}  // namespace tunekit::surrogate::detail
#endif  // TUNEKIT_BODIES
