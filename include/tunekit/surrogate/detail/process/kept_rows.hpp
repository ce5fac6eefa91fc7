// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Candidates that keep what was computed for them, as users hold them.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/stats/prediction.hpp"
#include "tunekit/surrogate/detail/process/posterior.hpp"

namespace tunekit::surrogate {

struct gaussian_process;

namespace detail {

/// A fixed set of N candidates, with L^-1 times their covariances with the n rows of one Gaussian process. L is the
/// Cholesky factor of the rows' covariance.
///
///     auto kept = model.keep(candidates);
///     model.fit(state, rows, y, gen);             // after each measurement
///     model.predict(state, kept, predictions);    // one row of N entries more, and their products with the targets
///
/// With V = L^-1 K(rows, candidates) the mean is m + V^T L^-1 (y - m), and the variance k - sum_i V_i^2. So a row that
/// is added to L adds a row to V, and all targets may change. Kept rows belong to one state and the states that follow
/// it.
///
/// Cost:       O(N n) per row added, in blocks where several were added; 8 N n bytes. A prediction once in 8 rows costs
///             half as much as one after each row, because V is read less often. So predict all candidates
///             rarely, and `only` its best ones often.
/// Threads:    const calls on distinct values are safe.
class kept_rows {
public:
    kept_rows() = default;
    /// Keeps these rows, row-major.
    kept_rows(core::plain_vector<float> rows, std::size_t dimensions) : rows_(std::move(rows)), dimensions_(dimensions)
    {
    }

    friend bool operator==(const kept_rows&, const kept_rows&) = default;

    [[nodiscard]] std::size_t size() const noexcept { return dimensions_ == 0 ? 0 : rows_.size() / dimensions_; }
    [[nodiscard]] std::size_t dimensions() const noexcept { return dimensions_; }

    /// The candidates at `positions`, with the computations for them. Cost O(n) each. Precondition: positions < size().
    [[nodiscard]] kept_rows only(std::span<const std::uint32_t> positions) const;
    /// Adds others, from the next multiple of eight positions on. Precondition: both predicted by one state.
    void append(kept_rows&& other);

private:
    friend struct surrogate::gaussian_process;

    core::plain_vector<float> rows_;
    std::size_t dimensions_ = 0;
    std::uint64_t key_ = 0;                               // of the factor; 0: of none yet
    std::size_t done_ = 0;                                // rows of the factor
    std::vector<core::plain_vector<double>> white_rows_;  // V: of each strip [row][8]
    core::plain_vector<double> known_;  // [strip][8]: the sum of squares, what the rows know of each candidate
    core::plain_vector<double> white_, white_one_;  // of the posterior, as far as they are in the sums
    core::plain_vector<double> by_white_, by_one_;  // [strip][8]: the products of V with these

    void predict(const posterior& s, std::span<stats::prediction> out);
    /// Catches up with the rows that `s` gained; begins anew where its factor is another.
    void update(const posterior& s);
    void add_products(const posterior& s);
};

}  // namespace detail
}  // namespace tunekit::surrogate

#if TUNEKIT_BODIES
namespace tunekit::surrogate::detail {

TUNEKIT_INLINE void kept_rows::update(const posterior& s)
{
    const point_strips points = s.scaled(size(), [&](std::size_t i) { return rows_.data() + i * dimensions_; });
    const std::size_t n = s.factor.size, all = strips_for(size());
    if (key_ != s.key || done_ > n) {
        key_ = s.key;
        done_ = 0;
        white_rows_.assign(all, {});
        known_.assign(all * strip, 0.0);
        white_.clear();
    }
    constexpr std::size_t together = 32;  // rows of the factor that stay in the cache over all strips
    for (auto& rows : white_rows_) {
        rows.reserve(core::detail::whole_blocks(n) * strip);  // left to itself it would take twice of what it holds
        rows.resize(n * strip);
    }
    for (std::size_t begin = done_; begin < n; begin += together) {
        const std::size_t end = (std::min)(n, begin + together);
        for (std::size_t k = 0; k < all; ++k) {
            double* v = white_rows_[k].data();
            s.covariance(s.points, begin, end, points.of(k), v + begin * strip);
            s.factor.solve(v, begin, end);
            for (std::size_t p = 0; p < packs; ++p) {
                double* known = known_.data() + k * strip + p * core::detail::pack_size;
                core::detail::pack sum = core::detail::load(known);
                for (std::size_t i = begin; i < end; ++i) {
                    const core::detail::pack x = core::detail::load(v + i * strip + p * core::detail::pack_size);
                    sum += x * x;
                }
                core::detail::store(sum, known);
            }
        }
    }
    done_ = n;
    add_products(s);
}

TUNEKIT_INLINE void kept_rows::add_products(const posterior& s)
{
    const std::size_t all = white_rows_.size();
    if (white_.empty() || white_.size() > s.white.size() ||
        !std::equal(white_.begin(), white_.end(), s.white.begin()) ||
        !std::equal(white_one_.begin(), white_one_.end(), s.white_one.begin())) {
        white_.clear();
        by_white_.assign(all * strip, 0.0);
        by_one_.assign(all * strip, 0.0);
    }
    for (std::size_t k = 0; k < all; ++k)
        for (std::size_t p = 0; p < packs; ++p) {
            const std::size_t at = p * core::detail::pack_size;
            double *x = by_white_.data() + k * strip + at, *y = by_one_.data() + k * strip + at;
            core::detail::pack by_white = core::detail::load(x), by_one = core::detail::load(y);
            for (std::size_t i = white_.size(); i < done_; ++i) {
                const core::detail::pack v = core::detail::load(white_rows_[k].data() + i * strip + at);
                by_white += s.white[i] * v;
                by_one += s.white_one[i] * v;
            }
            core::detail::store(by_white, x);
            core::detail::store(by_one, y);
        }
    white_ = s.white;
    white_one_ = s.white_one;
}

TUNEKIT_INLINE void kept_rows::predict(const posterior& s, std::span<stats::prediction> out)
{
    update(s);
    for (std::size_t k = 0; k < out.size(); ++k)
        out[k] = {.mean = (s.mean + by_white_[k] - (s.mean - s.origin) * by_one_[k]) * s.unit,
                  .sd = s.sd * std::sqrt((std::max)(0.0, s.covariance.variance - known_[k])) * s.unit};
}

TUNEKIT_INLINE kept_rows kept_rows::only(std::span<const std::uint32_t> positions) const
{
    kept_rows out;
    out.dimensions_ = dimensions_;
    out.rows_.reserve(positions.size() * dimensions_);
    for (const std::uint32_t i : positions) out.rows_.append({rows_.begin() + i * dimensions_, dimensions_});
    if (key_ == 0) return out;
    out.key_ = key_;
    out.done_ = done_;
    out.white_rows_.assign(strips_for(positions.size()), core::plain_vector<double>(done_ * strip));
    out.known_.assign(out.white_rows_.size() * strip, 0.0);
    out.white_ = white_;
    out.white_one_ = white_one_;
    out.by_white_ = out.by_one_ = out.known_;
    for (std::size_t k = 0; k < positions.size(); ++k) {
        const std::size_t at = positions[k];
        out.known_[k] = known_[at];
        out.by_white_[k] = by_white_[at];
        out.by_one_[k] = by_one_[at];
        for (std::size_t i = 0; i < done_; ++i)
            out.white_rows_[k / strip][i * strip + k % strip] = white_rows_[at / strip][i * strip + at % strip];
    }
    return out;
}

TUNEKIT_INLINE void kept_rows::append(kept_rows&& other)
{
    rows_.resize(strips_for(size()) * strip * dimensions_);
    rows_.append(other.rows_);
    for (auto& rows : other.white_rows_) white_rows_.push_back(std::move(rows));
    known_.append(other.known_);
    by_white_.append(other.by_white_);
    by_one_.append(other.by_one_);
    other.rows_.swap(rows_);
    other.white_rows_.swap(white_rows_);
    other.known_.swap(known_);
    other.by_white_.swap(by_white_);
    other.by_one_.swap(by_one_);
    *this = std::move(other);
}

}  // namespace tunekit::surrogate::detail
#endif  // TUNEKIT_BODIES
