// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Gradient-boosted trees: shallow trees, each fitted to the residuals of those before.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/surrogate/concepts.hpp"
#include "tunekit/surrogate/detail/boosted/a_recall.hpp"
#include "tunekit/surrogate/detail/boosted/growth.hpp"
#include "tunekit/surrogate/detail/boosted/loss.hpp"
#include "tunekit/surrogate/detail/boosted/spread.hpp"
#include "tunekit/surrogate/detail/boosted/walk.hpp"

namespace tunekit::surrogate {

/// The gradient-boosted trees model. An aggregate of parameters: name what you change.
///
///     const boosted_trees model{.loss = boosted_loss::logistic};
///     auto state = model.start(rows.dimensions());
///     model.fit(state, rows, y, gen);                 // rows of floats or of ordinals; y scaled to [0, 1]
///     model.predict(state, candidates, predictions);
///
/// Each round computes g = dL/df, h = d2L/df2 at the margins f and grows one tree on them. The worth of a split is
/// G_L^2/(H_L + lambda) + G_R^2/(H_R + lambda) - G^2/(H + lambda). Splits worth less than gamma whose children are
/// leaves are pruned, bottom up. A leaf adds -eta G/(H + lambda). Ties go to the lowest feature, then the lowest
/// threshold. Targets should have a scale of about 1, because gamma and base_score are absolute.
///
/// Splits:     exact with max_bins = 0: every gap between two values. Else at most max_bins quantile bins per feature,
///             found once on all rows. Both are the same for a feature with at most max_bins distinct values, as
///             ordinals often are. A threshold is halfway between the neighbouring values present in the node.
/// Stopping:   with stop_after > 0 the fit ends that many rounds after the last strict improvement of a-recall at
///             recall_at on the training rows. All trees are kept.
/// Transfer:   `fit` and `predict` take base margins, one per row in the rows' order, that replace base_score. Get them
///             from a model of earlier tasks: its `margins` of the rows, times `discount(rows of the new task)`.
/// Uncertainty: sd is 0 unless members > 0. Then that many more models are boosted on random halves of the rows, and
///             sd^2 = a + b s^2 with s^2 the variance over the members' predictions. a, b >= 0 maximise the Gaussian
///             likelihood of the errors on the rows that a member did not see. So sd is calibrated out of sample, and
///             is cautious, because members saw half the data. `mean` is still that of the model of all rows. Pairwise
///             loss allows no members.
/// Errors:     std::invalid_argument from start and fit, before the state changes.
/// Randomness: one `bits` of `gen` per fit; Philox streams for the pairs of each round and the rows of each member.
/// Cost:       fit O(rounds n d depth); predict O(rounds 2^depth), without branches; both times 1 + members (each on
///             half the rows in fit).
/// Threads:    const calls on distinct states are safe; predict on one state too.
/// Source:     Chen, Guestrin (2016), XGBoost, KDD, equations 6 and 7; AutoTVM's settings: Chen et al. (2018), NeurIPS,
///             and TVM's XGBoostCostModel.
/// Departures: gradients and hessians are rounded to about 2^-40 of their largest, so that sums are exact in any order.
///             Margins are floats. TVM permutes rows but not base margins; here they stay aligned. In predict a NaN
///             goes left.
struct boosted_trees {
    boosted_loss loss = boosted_loss::squared;  ///< what the trees minimise
    std::size_t rounds = 300;                   ///< trees at most, >= 1
    std::size_t max_depth = 3;                  ///< 1 ... 6
    double eta = 0.3;                           ///< > 0; shrinkage
    double gamma = 1e-4;                        ///< >= 0; least worth of a split
    double lambda = 1;                          ///< >= 0
    double min_child_weight = 1;                ///< >= 0; least sum of hessians of a child
    double base_score = 0.5;                    ///< prediction before the first tree; in (0, 1) with logistic loss
    std::size_t max_bins = 64;                  ///< 2 ... per feature; 0: exact
    std::size_t stop_after = 20;                ///< rounds; 0: never
    std::size_t recall_at = 64;                 ///< >= 1; the size of a round
    std::size_t members = 0;                    ///< 0 or >= 2; models from which sd is computed

    /// AutoTVM's settings with its default, ranking loss: up to 8000 rounds, exact splits.
    [[nodiscard]] static constexpr boosted_trees paper()
    {
        return {.loss = boosted_loss::pairwise, .rounds = 8000, .max_bins = 0};
    }

    /// A fitted model. A regular value.
    struct state {
        std::size_t dimensions = 0;
        std::vector<detail::boosted_ensemble> models;  ///< the model, then its members; empty before a fit
        detail::boosted_columns used;                  ///< what they compare
        detail::spread_scale scale;                    ///< from the members' spread to sd

        friend bool operator==(const state&, const state&) = default;

        [[nodiscard]] bool fitted() const noexcept { return !models.empty(); }
        [[nodiscard]] std::size_t trees() const noexcept { return fitted() ? models[0].trees : 0; }
    };

    /// An empty model of d features. Throws std::invalid_argument where a parameter is out of range.
    [[nodiscard]] state start(std::size_t d) const;

    /// Fits the model to rows and their targets; an earlier fit is replaced. Throws std::invalid_argument where the
    /// sizes disagree, there is no row or more than 2^20 - 1, a feature is not finite, a target or base margin is NaN
    /// or beyond 1e30, or, with logistic loss, a target is outside [0, 1].
    template <class T, generator G>
    void fit(state& s, const rows_of<T>& rows, std::span<const double> y, G& gen) const
    {
        fit(s, rows, y, {}, gen);
    }

    /// The same on top of base margins, one per row; empty: base_score.
    template <class T, generator G>
    void fit(state& s, const rows_of<T>& rows, std::span<const double> y, std::span<const double> base, G& gen) const
    {
        check(s, rows, y, base);
        const std::size_t n = rows.size();
        const detail::binned data = detail::bin_rows(rows, max_bins, "boosted_trees.fit");
        const std::uint64_t key = random::bits(gen);
        const std::vector<float> begin = base_margins(n, base);
        std::vector<std::uint32_t> all(n);
        std::iota(all.begin(), all.end(), std::uint32_t{0});

        state next{.dimensions = s.dimensions, .models = {}, .used = {}, .scale = {}};
        next.models.push_back(boost(data, y, all, begin, key, 0, rounds));
        std::vector<std::vector<std::uint32_t>> halves;
        for (std::size_t k = 0; k < members; ++k) {
            halves.push_back(detail::random_half(n, key, member_purpose, k));
            next.models.push_back(boost(data, y, halves[k], begin, key, k + 1, next.models[0].trees));
        }
        next.used = detail::use_columns(next.models);
        if (members > 0) next.scale = detail::calibrate(unseen_errors(next, rows, y, base, halves));
        s = std::move(next);
    }

    /// Predicts mean and sd of each row. Precondition: fitted by these parameters, rows of as many features, out.size()
    /// == rows.size().
    template <class T>
    void predict(const state& s, const rows_of<T>& rows, std::span<stats::prediction> out) const
    {
        predict(s, rows, {}, out);
    }

    /// The same on top of base margins, one per row; empty: base_score. Throws std::invalid_argument where one is NaN
    /// or beyond 1e30.
    template <class T>
    void predict(const state& s, const rows_of<T>& rows, std::span<const double> base,
                 std::span<stats::prediction> out) const
    {
        require(out.size() == rows.size(), "boosted_trees.predict: want one prediction per row");
        each_block(s, rows, base, [&](std::size_t begin, std::size_t n, const block& x, const auto& start) {
            std::array<float, detail::boosted_block> margin = start;
            detail::add_trees(s.models[0], x.data(), margin.data(), n);
            std::array<double, detail::boosted_block> value, first{}, second{};
            to_predictions(margin, value, n);
            for (std::size_t r = 0; r < n; ++r) out[begin + r] = {.mean = value[r], .sd = 0};
            const std::size_t k = s.models.size() - 1;
            if (k == 0) return;
            std::array<double, detail::boosted_block> other;
            for (std::size_t m = 1; m <= k; ++m) {
                margin = start;
                detail::add_trees(s.models[m], x.data(), margin.data(), n);
                to_predictions(margin, other, n);
                for (std::size_t r = 0; r < n; ++r) {
                    const double z = other[r] - value[r];  // about the mean: no digits are lost
                    first[r] += z;
                    second[r] += z * z;
                }
            }
            for (std::size_t r = 0; r < n; ++r)
                out[begin + r].sd = s.scale.sd(detail::sample_variance(first[r], second[r], k));
        });
    }

    /// The margin of each row, which is the base of the next task's model. Preconditions as predict's.
    template <class T>
    void margins(const state& s, const rows_of<T>& rows, std::span<double> out) const
    {
        require(out.size() == rows.size(), "boosted_trees.predict: want one prediction per row");
        each_block(s, rows, {}, [&](std::size_t begin, std::size_t n, const block& x, auto margin) {
            detail::add_trees(s.models[0], x.data(), margin.data(), n);
            for (std::size_t r = 0; r < n; ++r) out[begin + r] = static_cast<double>(margin[r]);
        });
    }

    /// The factor by which AutoTVM multiplies the margins of history when the new task has n rows: 2^(-n/64), 0 from
    /// below 0.05 on.
    [[nodiscard]] static double discount(std::size_t n)
    {
        const double share = std::exp2(-static_cast<double>(n) / 64);
        return share < 0.05 ? 0 : share;
    }

private:
    using block = detail::column_block;

    static constexpr double max_target = 1e30;  // margins are floats, and their sums must be

    static constexpr std::uint32_t pair_purpose = 0x70616972;    // "pair"; the member in the high half of the round
    static constexpr std::uint32_t member_purpose = 0x68616c66;  // "half"

    template <class T>
    void check(const state& s, const rows_of<T>& rows, std::span<const double> y, std::span<const double> base) const
    {
        require(rows.size() > 0, "boosted_trees.fit: no rows, want >= 1");
        require(rows.size() < std::size_t{1} << 20, "boosted_trees.fit: too many rows, want < 2^20");
        require(rows.dimensions() == s.dimensions,
                "boosted_trees.fit: rows of another number of features than started, want the same");
        require(rows.size() == y.size(), "boosted_trees.fit: want one target per row");
        require(base.empty() || base.size() == y.size(), "boosted_trees.fit: want one base margin per row, or none");
        for (const double t : y)
            require(std::abs(t) <= max_target, "boosted_trees.fit: a target is NaN or beyond 1e30, want smaller ones");
        for (const double b : base)
            require(std::abs(b) <= max_target,
                    "boosted_trees.fit: a base margin is NaN or beyond 1e30, want smaller ones");
        for (std::size_t i = 0; loss == boosted_loss::logistic && i < y.size(); ++i)
            require(y[i] >= 0 && y[i] <= 1,
                    "boosted_trees.fit: a target is outside [0, 1], want a probability with logistic loss");
    }

    [[nodiscard]] float base_margin() const
    {
        const bool logistic = loss == boosted_loss::logistic;
        return static_cast<float>(logistic ? linalg::log(base_score / (1 - base_score)) : base_score);
    }

    [[nodiscard]] std::vector<float> base_margins(std::size_t n, std::span<const double> base) const;

    [[nodiscard]] detail::boosted_ensemble boost(const detail::binned& data, std::span<const double> y,
                                                 std::span<const std::uint32_t> rows, std::vector<float> margin,
                                                 std::uint64_t key, std::uint64_t member, std::size_t most) const;

    template <class T, class F>
    void each_block(const state& s, const rows_of<T>& rows, std::span<const double> base, F&& f) const
    {
        require(s.fitted() && (rows.size() == 0 || rows.dimensions() == s.dimensions),
                "boosted_trees.predict: not fitted, or rows of other features, want those of fit");
        require(base.empty() || base.size() == rows.size(),
                "boosted_trees.predict: want one base margin per row, or none");
        for (const double b : base)
            require(std::abs(b) <= max_target,
                    "boosted_trees.predict: a base margin is NaN or beyond 1e30, want smaller ones");
        detail::each_block(s.used, rows, base_margin(), base, std::forward<F>(f));
    }

    void to_predictions(const std::array<float, detail::boosted_block>& margin,
                        std::array<double, detail::boosted_block>& out, std::size_t n) const;

    // What the members make of the rows that they did not see.
    template <class T>
    [[nodiscard]] std::vector<detail::unseen_error> unseen_errors(
        const state& s, const rows_of<T>& rows, std::span<const double> y, std::span<const double> base,
        std::span<const std::vector<std::uint32_t>> halves) const
    {
        detail::unseen_errors errors(rows.size());
        for (std::size_t m = 0; m < halves.size(); ++m) {
            std::vector<std::uint8_t> seen(rows.size(), 0);
            for (const auto r : halves[m]) seen[r] = 1;
            each_block(s, rows, base, [&](std::size_t begin, std::size_t n, const block& x, auto margin) {
                detail::add_trees(s.models[m + 1], x.data(), margin.data(), n);
                std::array<double, detail::boosted_block> value;
                to_predictions(margin, value, n);
                for (std::size_t r = 0; r < n; ++r)
                    if (!seen[begin + r]) errors.add(begin + r, value[r] - y[begin + r]);
            });
        }
        return errors.found();
    }
};

}  // namespace tunekit::surrogate

#if TUNEKIT_BODIES
namespace tunekit::surrogate {

TUNEKIT_INLINE boosted_trees::state boosted_trees::start(std::size_t d) const
{
    require(d > 0, "boosted_trees.start: 0 features, want >= 1");
    require(rounds > 0, "boosted_trees: rounds is 0, want >= 1");
    require(max_depth >= 1 && max_depth <= detail::boosted_max_depth,
            "boosted_trees: max_depth is out of range, want 1 to 6");
    require(eta > 0 && std::isfinite(eta), "boosted_trees: eta is not a positive number, want > 0");
    require(gamma >= 0, "boosted_trees: gamma is negative or NaN, want >= 0");
    require(lambda >= 0 && std::isfinite(lambda), "boosted_trees: lambda is negative or NaN, want >= 0");
    require(min_child_weight >= 0, "boosted_trees: min_child_weight is negative or NaN, want >= 0");
    require(std::isfinite(base_score), "boosted_trees: base_score is not finite, want a number");
    require(loss != boosted_loss::logistic || (base_score > 0 && base_score < 1),
            "boosted_trees: base_score is outside (0, 1), want a probability with logistic loss");
    require(max_bins != 1, "boosted_trees: max_bins is 1, want >= 2, or 0 for exact splits");
    require(recall_at > 0, "boosted_trees: recall_at is 0, want >= 1");
    require(members != 1, "boosted_trees: members is 1, want 0 or >= 2");
    require(members == 0 || loss != boosted_loss::pairwise,
            "boosted_trees: members with pairwise loss, want another loss: its margins have no scale");
    return {.dimensions = d, .models = {}, .used = {}, .scale = {}};
}

TUNEKIT_INLINE std::vector<float> boosted_trees::base_margins(std::size_t n, std::span<const double> base) const
{
    std::vector<float> out(n, base_margin());
    for (std::size_t i = 0; i < base.size(); ++i) out[i] = static_cast<float>(base[i]);
    return out;
}

TUNEKIT_INLINE detail::boosted_ensemble boosted_trees::boost(const detail::binned& data, std::span<const double> y,
                                                             std::span<const std::uint32_t> rows,
                                                             std::vector<float> margin, std::uint64_t key,
                                                             std::uint64_t member, std::size_t most) const
{
    const detail::boosted_growth_options limits{
        .depth = max_depth, .eta = eta, .gamma = gamma, .lambda = lambda, .min_child_weight = min_child_weight};
    detail::boosted_ensemble out;
    out.depth = max_depth;
    std::vector<double> g(data.rows), h(data.rows);
    detail::loss_gradients gradients(loss, y, rows, key, pair_purpose);
    const bool stops = stop_after > 0 && member == 0;
    detail::a_recall recall(stops ? y : y.first(0), recall_at);
    double best = -1;
    std::size_t best_round = 0;
    data.visit([&]<class Slot>(const Slot* slots) {
        detail::boosted_grower<Slot> grower(data, slots, rows, limits);
        for (std::size_t round = 0; round < most; ++round) {
            gradients(margin, member << 32 | round, g, h);
            grower.grow(g, h, out, margin);
            if (!stops) continue;
            if (const double now = recall(std::span<const float>(margin)); now > best) {
                best = now;
                best_round = round;
            }
            if (round - best_round >= stop_after) break;
        }
    });
    return out;
}

TUNEKIT_INLINE void boosted_trees::to_predictions(const std::array<float, detail::boosted_block>& margin,
                                                  std::array<double, detail::boosted_block>& out, std::size_t n) const
{
    const bool logistic = loss == boosted_loss::logistic;
    for (std::size_t r = 0; r < n; ++r) out[r] = static_cast<double>(logistic ? -margin[r] : margin[r]);
    if (logistic) detail::falling_logistic({out.data(), n});
}

}  // namespace tunekit::surrogate
#endif  // TUNEKIT_BODIES
