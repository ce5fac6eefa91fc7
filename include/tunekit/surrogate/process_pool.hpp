// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A pool of candidates that keeps a Gaussian process's computations for them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/stats/prediction.hpp"
#include "tunekit/surrogate/detail/process/posterior.hpp"
#include "tunekit/surrogate/detail/process/whitened.hpp"

namespace tunekit::surrogate {

/// A fixed set of N candidates, with L^-1 times their covariances with the n rows of one process. L is the Cholesky
/// factor of the rows' covariance.
///
///     auto pool = model.pool_of(candidates);
///     model.fit(state, rows, y, gen);             // after each measurement
///     model.predict(state, pool, predictions);    // one row of N entries more, and their products with the targets
///
/// With V = L^-1 K(rows, candidates) the mean is m + V^T L^-1 (y - m), and the variance k - sum_i V_i^2. So a row that
/// is added to L adds a row to V, and all targets may change. One pool belongs to one state and the states that follow
/// it.
///
/// Cost:       O(N n) per row added, in blocks where several were added; 8 N n bytes. A prediction once in 8 rows costs
///             half as much as one after each row, because V is read less often. So predict a pool of all candidates
///             rarely, and `only` its best ones often.
/// Threads:    const calls on distinct pools are safe.
class process_pool {
public:
    process_pool() = default;
    /// Makes a pool of these rows, row-major.
    process_pool(std::vector<float> rows, std::size_t dimensions) : rows_(std::move(rows)), dimensions_(dimensions) {}

    friend bool operator==(const process_pool&, const process_pool&) = default;

    [[nodiscard]] std::size_t size() const noexcept { return dimensions_ == 0 ? 0 : rows_.size() / dimensions_; }
    [[nodiscard]] std::size_t dimensions() const noexcept { return dimensions_; }

    /// The candidates at `positions`, with the computations for them. Cost O(n) each. Precondition: positions < size().
    [[nodiscard]] process_pool only(std::span<const std::uint32_t> positions) const;

private:
    friend struct gaussian_process;

    std::vector<float> rows_;
    std::size_t dimensions_ = 0;
    detail::whitened part_;

    void predict(const detail::posterior& s, std::span<stats::prediction> out);
};

}  // namespace tunekit::surrogate

#if TUNEKIT_BODIES
namespace tunekit::surrogate {

TUNEKIT_INLINE process_pool process_pool::only(std::span<const std::uint32_t> positions) const
{
    process_pool out;
    out.dimensions_ = dimensions_;
    for (const std::uint32_t i : positions) {
        const auto first = rows_.begin() + static_cast<std::ptrdiff_t>(i * dimensions_);
        out.rows_.insert(out.rows_.end(), first, first + static_cast<std::ptrdiff_t>(dimensions_));
    }
    if (part_.size() > 0) out.part_ = part_.only(positions);
    return out;
}

TUNEKIT_INLINE void process_pool::predict(const detail::posterior& s, std::span<stats::prediction> out)
{
    if (part_.key() != s.key) {  // the ranges of the columns may be others as well
        part_ = detail::whitened(s.coordinates.size());
        for (std::size_t i = 0; i < size(); ++i)
            part_.push_back(s.scaled(std::span(rows_).subspan(i * dimensions_, dimensions_)));
    }
    part_.update(s);
    part_.predict(s, out);
}

}  // namespace tunekit::surrogate
#endif  // TUNEKIT_BODIES
