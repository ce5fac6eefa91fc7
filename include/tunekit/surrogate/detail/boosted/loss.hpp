// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Gradients and hessians of the losses that trees are boosted on.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/linalg/elementary.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace tunekit::surrogate {

/// What boosted trees minimise, of targets y and margins f.
enum class boosted_loss : std::uint8_t {
    squared,   ///< (f - y)^2 / 2; predicts f
    logistic,  ///< cross entropy of y in [0, 1] and p = 1 / (1 + e^-f); predicts p
    pairwise,  ///< log(1 + e^-(f_i - f_j)) over drawn pairs with y_i > y_j; predicts f, of arbitrary offset and scale
};

namespace detail {

/// x[i] = 1 / (1 + e^x[i]), the same bits on every instruction set.
void falling_logistic(std::span<double> x);

/// The loss over a fixed set of rows.
class loss_gradients {
public:
    loss_gradients(boosted_loss kind, std::span<const double> y, std::span<const std::uint32_t> rows, std::uint64_t key,
                   std::uint32_t purpose);

    /// Fills g and h at the rows of the set, for margins f. `round` chooses the stream of the pairs.
    void operator()(std::span<const float> f, std::size_t round, std::span<double> g, std::span<double> h);

private:
    static constexpr double least_hessian = 1e-16;

    struct range {
        std::size_t begin, end;
    };

    // Every row meets one partner, uniform among those of another target.
    void pairs(std::span<const float> f, std::size_t round, std::span<double> g, std::span<double> h);

    boosted_loss kind_;
    std::span<const double> y_;
    std::vector<std::uint32_t> rows_;
    std::uint64_t key_;
    std::uint32_t purpose_;
    std::vector<double> term_;
    std::vector<range> group_;  // of each position in rows_: the positions of its target
    std::vector<std::uint32_t> winner_, loser_;
};

}  // namespace detail
}  // namespace tunekit::surrogate

#if TUNEKIT_BODIES
namespace tunekit::surrogate::detail {

TUNEKIT_INLINE void falling_logistic(std::span<double> x)
{
    const auto one = []<class T>(const T& v) {
        const T high = linalg::all<T>(690.0), low = linalg::all<T>(-690.0);
        T w = v > high ? high : v;
        w = w < low ? low : w;
        return linalg::falling_logistic_2<T>(w * linalg::detail::log2_e);
    };
    std::size_t i = 0;
    for (; i + core::detail::pack_size <= x.size(); i += core::detail::pack_size) {
        const core::detail::pack v = core::detail::load(x.data() + i);
        core::detail::store(one(v), x.data() + i);
    }
    for (; i < x.size(); ++i) x[i] = one(x[i]);
}

TUNEKIT_INLINE loss_gradients::loss_gradients(boosted_loss kind, std::span<const double> y,
                                              std::span<const std::uint32_t> rows, std::uint64_t key,
                                              std::uint32_t purpose)
    : kind_(kind), y_(y), rows_(rows.begin(), rows.end()), key_(key), purpose_(purpose), term_(rows.size())
{
    if (kind != boosted_loss::pairwise) return;
    std::sort(rows_.begin(), rows_.end(),
              [&](std::uint32_t a, std::uint32_t b) { return y[a] < y[b] || (y[a] == y[b] && a < b); });
    group_.resize(rows_.size());
    for (std::size_t begin = 0; begin < rows_.size();) {
        std::size_t end = begin;
        while (end < rows_.size() && y[rows_[end]] == y[rows_[begin]]) ++end;
        for (std::size_t i = begin; i < end; ++i) group_[i] = {begin, end};
        begin = end;
    }
    winner_.resize(rows_.size());
    loser_.resize(rows_.size());
}

TUNEKIT_INLINE void loss_gradients::operator()(std::span<const float> f, std::size_t round, std::span<double> g,
                                               std::span<double> h)
{
    switch (kind_) {
        case boosted_loss::squared:
            for (const auto r : rows_) {
                g[r] = static_cast<double>(f[r]) - y_[r];
                h[r] = 1;
            }
            return;
        case boosted_loss::logistic:
            for (std::size_t i = 0; i < rows_.size(); ++i) term_[i] = -static_cast<double>(f[rows_[i]]);
            falling_logistic(term_);
            for (std::size_t i = 0; i < rows_.size(); ++i) {
                const double p = term_[i];
                g[rows_[i]] = p - y_[rows_[i]];
                h[rows_[i]] = (std::max)(p * (1 - p), least_hessian);
            }
            return;
        case boosted_loss::pairwise:
            pairs(f, round, g, h);
            return;
    }
}

TUNEKIT_INLINE void loss_gradients::pairs(std::span<const float> f, std::size_t round, std::span<double> g,
                                          std::span<double> h)
{
    const std::size_t n = rows_.size();
    for (const auto r : rows_) g[r] = h[r] = 0;
    if (group_.empty() || group_[0].end == n) return;  // all targets equal: nothing to rank
    auto gen = random::stream(key_, purpose_, round);
    for (std::size_t i = 0; i < n; ++i) {
        const auto [begin, end] = group_[i];
        const std::size_t u = random::uniform_index(n - (end - begin), gen);
        const std::size_t j = u < begin ? u : u + (end - begin);
        winner_[i] = rows_[(std::max)(i, j)];  // rows_ ascend with y
        loser_[i] = rows_[(std::min)(i, j)];
        term_[i] = static_cast<double>(f[winner_[i]]) - static_cast<double>(f[loser_[i]]);
    }
    falling_logistic(term_);  // 1 - p of the pair
    for (std::size_t i = 0; i < n; ++i) {
        const double q = term_[i];
        const double weight = 2 * (std::max)(q * (1 - q), least_hessian);
        g[winner_[i]] -= q;
        g[loser_[i]] += q;
        h[winner_[i]] += weight;
        h[loser_[i]] += weight;
    }
}

}  // namespace tunekit::surrogate::detail
#endif  // TUNEKIT_BODIES
