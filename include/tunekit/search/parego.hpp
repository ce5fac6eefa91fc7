// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Several goals at once: each proposal weighs them anew, at random.

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <unordered_map>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/random/generator.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/search/portfolio.hpp"

namespace tunekit::search {

namespace detail {

/// The goals of what was measured, one row each, on scales from the lowest to the highest that was measured.
class goal_rows {
public:
    /// Takes the goals of configuration i: the cost and values at `which` (0 the cost, k + 1 value k; empty: all). One
    /// that failed, or of which a goal is not finite, has none.
    void take(index i, const measure::measurement& m, std::span<const std::size_t> which);

    static constexpr double rho = 0.05;  ///< weight of the sum beside the maximum

    [[nodiscard]] std::size_t goals() const noexcept { return goals_; }  ///< how many; 0 before the first that has them

    /// The augmented Tchebycheff sum of all rows by these weights; `of(i)` looks one up.
    class weighed {
    public:
        weighed(const goal_rows& rows, std::span<const double> weights);
        /// The sum of configuration i; +inf where it has no goals.
        [[nodiscard]] double operator()(index i) const;

    private:
        const goal_rows& rows_;
        std::vector<double> sums_;
    };

    friend bool operator==(const goal_rows&, const goal_rows&) = default;

private:
    std::size_t goals_ = 0;
    std::vector<double> rows_;                   // row-major
    std::unordered_map<index, std::size_t> at_;  // the row of a configuration
};

}  // namespace detail

/// Searches the front of several goals, all to be lowered: the cost of a measurement and the values beside it. Before
/// each proposal it draws weights at random and tells its models anew what everything cost by them:
///
///     f(x) = max_j w_j z_j(x) + 0.05 sum_j w_j z_j(x),    z_j = (ln g_j(x) - least) / (greatest - least)
///
/// where g_j is goal j, and least and greatest are over all that was measured. Where some g_j <= 0 its value stands for
/// its logarithm. The models and the choice are those of a `portfolio` (see there), to which f stands for ln cost.
///
/// Pending:    as in `portfolio`. A failure, and a measurement without one of the goals, has the worst f.
/// Randomness: one `uniform_01` per goal and proposal behind the first ones, then what the portfolio draws. Weights are
///             uniform on the simplex.
/// Cost:       per proposal fits of both models and a new list of candidates, which a portfolio of one goal makes every
///             fifth of what is known: docs/pareto.md has the milliseconds.
/// Errors:     `start` throws what the portfolio throws.
/// Source:     Knowles (2006), ParEGO: A Hybrid Algorithm With On-Line Landscape Approximation for Expensive
///             Multiobjective Optimization Problems, IEEE Transactions on Evolutionary Computation 10(1).
/// Departures: goals are scaled by their logarithms; weights are drawn from the whole simplex, not from 11 vectors in
///             it; two models instead of one Gaussian process; 8 first configurations instead of 11 d - 1.
template <class Forest, class Process>
struct parego {
    portfolio<Forest, Process> models;  ///< what learns and chooses
    std::vector<std::size_t> goals{};   ///< 0: the cost; k + 1: value k; empty: the cost and every value

    static constexpr double rho = detail::goal_rows::rho;  ///< weight of the sum beside the maximum

    /// The state of a run.
    struct state {
        typename portfolio<Forest, Process>::state models;  ///< of the portfolio, as the last weights have it
        detail::goal_rows kept;                             ///< the goals of everything measured

        friend bool operator==(const state&, const state&) = default;
    };

    /// Starts a run.
    template <class Space>
    [[nodiscard]] state start(const Space& space) const
    {
        return {models.start(space), {}};
    }

    /// At most `n` configurations, each by weights of its own. Empty when the space is exhausted.
    template <class Space, generator G>
    [[nodiscard]] std::vector<index> propose(state& s, const Space& space, std::size_t n, G& gen) const
    {
        std::vector<index> out;
        while (out.size() < n && s.models.proposed.taken() < space.size()) {
            if (s.models.past.size() >= models.options.first && s.kept.goals() != 0) weigh(s, gen);
            const std::vector<index> one = models.propose(s.models, space, 1, gen);
            if (one.empty()) break;
            out.push_back(one.front());
        }
        return out;
    }

    template <class Space, generator G>
    void observe(state& s, const Space& space, std::span<const index> batch,
                 std::span<const measure::measurement> measured, G& gen) const
    {
        assert(batch.size() == measured.size());
        models.observe(s.models, space, batch, measured, gen);
        for (std::size_t k = 0; k < batch.size(); ++k) s.kept.take(batch[k], measured[k], goals);
    }

private:
    template <class G>
    void weigh(state& s, G& gen) const
    {
        std::vector<double> weights(s.kept.goals());
        double sum = 0;
        for (double& w : weights)
            sum += w = -std::log1p(-tunekit::random::uniform_01(gen));  // exponential: uniform once divided
        for (double& w : weights) w = sum > 0 ? w / sum : 1.0 / static_cast<double>(weights.size());
        models.retell(s.models, detail::goal_rows::weighed(s.kept, weights));
    }
};

template <class F, class P>
parego(portfolio<F, P>, std::vector<std::size_t> = {}) -> parego<F, P>;

}  // namespace tunekit::search

#if TUNEKIT_BODIES
namespace tunekit::search::detail {

TUNEKIT_INLINE void goal_rows::take(index i, const measure::measurement& m, std::span<const std::size_t> which)
{
    if (m.failed || at_.contains(i)) return;
    std::vector<double> row;
    const auto goal = [&](std::size_t k) {
        if (k == 0) return m.cost;
        return k <= m.values.size() ? m.values[k - 1] : std::numeric_limits<double>::quiet_NaN();
    };
    for (const std::size_t k : which) row.push_back(goal(k));
    if (which.empty())
        for (std::size_t k = 0; k <= m.values.size(); ++k) row.push_back(goal(k));
    if (goals_ == 0) goals_ = row.size();
    if (row.size() != goals_ || !std::all_of(row.begin(), row.end(), [](double x) { return std::isfinite(x); })) return;
    at_.emplace(i, at_.size());
    rows_.insert(rows_.end(), row.begin(), row.end());
}

TUNEKIT_INLINE goal_rows::weighed::weighed(const goal_rows& rows, std::span<const double> weights)
    : rows_(rows), sums_(rows.at_.size())
{
    const std::size_t g = rows.goals_;
    std::vector<double> most(sums_.size());
    for (std::size_t j = 0; j < g; ++j) {
        double least = std::numeric_limits<double>::infinity(), greatest = -least;
        for (std::size_t r = 0; r < sums_.size(); ++r) {
            least = (std::min)(least, rows.rows_[r * g + j]);
            greatest = (std::max)(greatest, rows.rows_[r * g + j]);
        }
        const auto scale = [logs = least > 0](double x) { return logs ? std::log(x) : x; };
        const double low = scale(least), width = scale(greatest) - low;
        for (std::size_t r = 0; r < sums_.size(); ++r) {
            const double z = width > 0 ? weights[j] * (scale(rows.rows_[r * g + j]) - low) / width : 0;
            most[r] = (std::max)(most[r], z);
            sums_[r] += rho * z;
        }
    }
    for (std::size_t r = 0; r < sums_.size(); ++r) sums_[r] += most[r];
}

TUNEKIT_INLINE double goal_rows::weighed::operator()(index i) const
{
    const auto found = rows_.at_.find(i);
    return found == rows_.at_.end() ? std::numeric_limits<double>::infinity() : sums_[found->second];
}

}  // namespace tunekit::search::detail
#endif  // TUNEKIT_BODIES
