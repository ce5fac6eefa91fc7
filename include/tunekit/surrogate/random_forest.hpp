// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The random forest: a mean over many deep trees, and their disagreement.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/core/detail/unit.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/core/executor.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/surrogate/concepts.hpp"
#include "tunekit/surrogate/detail/binned.hpp"
#include "tunekit/surrogate/detail/forest/growth.hpp"
#include "tunekit/surrogate/detail/forest/pack.hpp"
#include "tunekit/surrogate/detail/forest/packed_targets.hpp"
#include "tunekit/surrogate/detail/forest/walk.hpp"
#include "tunekit/surrogate/jackknife.hpp"

namespace tunekit::surrogate {

/// The sd that a forest reports at a point, of the H tree predictions t_b with mean m there.
enum class forest_sd : std::uint8_t {
    tree_sd,         ///< population sd of t_b
    total_variance,  ///< sqrt(mean(s_b^2 + t_b^2) - m^2), s_b^2 the variance of the targets in the leaf reached
    jackknife,       ///< sqrt(max(0, infinitesimal jackknife)): the error of m as an estimate; use trees >= rows
};

/// The random forest model. An aggregate of parameters: name what you change.
///
///     const random_forest model{.trees = 50};
///     auto state = model.start(rows.dimensions());
///     model.fit(state, rows, y, gen);                 // rows of floats or of ordinals
///     model.predict(state, candidates, predictions);  // mean and sd of each
///
/// Each tree gets n rows drawn with replacement. A node splits at the threshold, over `max_features` random features,
/// that leaves the least squared error. Thresholds are halfway between two neighbouring values; ties go to a uniform
/// draw. A node whose targets or rows are all equal is a leaf, and predicts their mean. The draw of features skips
/// constant ones.
///
/// Rows:       ordinals are treated as floats of the same value. Trees over ordinals split the training rows like trees
///             over values wherever a parameter's values ascend.
/// Errors:     std::invalid_argument from start and fit, before the state changes.
/// Randomness: one `bits` of `gen` per fit; a Philox stream per tree, so the executor and its threads do not matter.
/// Cost:       fit O(trees n d depth) on few-valued features, a factor log n more on continuous ones; predict O(trees
///             depth).
/// Threads:    predict is const; fit and predict split over an executor.
/// Source:     Breiman (2001), Random Forests, Machine Learning 45; Breiman, Friedman, Olshen, Stone (1984), CART.
/// Departures: targets are rounded to 2^-41 of their range (1000 rows) to choose splits, so that sums are exact in any
///             order. Leaves hold means of the unrounded ones. `min_leaf` counts a row as often as it was drawn.
///             Features that are constant in a node do not count among `max_features`; in scikit-learn they do. That
///             gives better means and a smaller sd over trees. In predict a NaN goes left.
struct random_forest {
    std::size_t trees = 100;            ///< H >= 1
    std::size_t max_features = 0;       ///< features compared at a node; 0 or more than d: all
    std::size_t min_leaf = 1;           ///< >= 1; rows, as often as drawn
    std::size_t max_depth = 0;          ///< 0: no limit
    bool bootstrap = true;              ///< false: each tree sees each row once
    forest_sd sd = forest_sd::tree_sd;  ///< how sd is computed

    /// The forest of AdaTune's paper, with the sd that it cites: the jackknife of forestci, which needs many trees. It
    /// has 10 features per split, as in its code. The paper gives no other number.
    [[nodiscard]] static constexpr random_forest jackknifed()
    {
        return {.max_features = 10, .sd = forest_sd::jackknife};
    }

    /// The forest of AdaTune's public code: 10 trees, 10 features per split, sd over trees.
    [[nodiscard]] static constexpr random_forest adatune_code() { return {.trees = 10, .max_features = 10}; }

    /// A fitted forest. A regular value.
    struct state {
        std::size_t dimensions = 0;
        detail::forest forest;  ///< the trees, of targets divided by `unit`
        double unit = 1;        ///< a power of two, so that targets of any scale have squares
        jackknife ij;           ///< where the sd is the jackknife's

        friend bool operator==(const state&, const state&) = default;

        [[nodiscard]] bool fitted() const noexcept { return !forest.root.empty(); }
        [[nodiscard]] std::size_t trees() const noexcept { return fitted() ? forest.root.size() - 1 : 0; }
        /// The number of nodes of a tree.
        [[nodiscard]] std::size_t nodes(std::size_t tree) const { return forest.root[tree + 1] - forest.root[tree]; }
        /// Node i of a tree; node 0 is its root. Use it to inspect forests; predict does not use it.
        [[nodiscard]] detail::node_view node(std::size_t tree, std::size_t i) const
        {
            detail::node_view out = forest.view(tree, i);
            out.value *= unit;
            return out;
        }
    };

    /// An empty forest of d features. Throws std::invalid_argument where a parameter is out of range.
    [[nodiscard]] state start(std::size_t d) const
    {
        require(d > 0, "random_forest.start: 0 features, want >= 1");
        require(trees > 0, "random_forest: trees is 0, want >= 1");
        require(min_leaf > 0, "random_forest: min_leaf is 0, want >= 1");
        require(sd != forest_sd::jackknife || bootstrap,
                "random_forest: jackknife without bootstrap, want bootstrap = true");
        state s;
        s.dimensions = d;
        return s;
    }

    /// Fits the forest to rows and their targets; an earlier fit is replaced. Throws std::invalid_argument where the
    /// sizes disagree, there is no row or more than 2^20 - 1, a feature or a target is not finite, or the range of y is
    /// not.
    template <class T, core::executor Run, generator G>
    void fit(state& s, const rows_of<T>& rows, std::span<const double> y, const Run& run, G& gen) const
    {
        check(s, rows, y);
        const double unit = core::detail::unit_of(core::detail::largest_magnitude(y));
        core::plain_vector<double> divided;
        if (unit != 1) {
            for (const double t : y) divided.push_back(t / unit);
            y = divided;
        }
        const detail::binned data = detail::bin_rows(rows, 0, "random_forest.fit");
        const detail::packed_targets targets(y);
        const std::uint64_t key = random::bits(gen);
        const detail::tree_growth_options limits{
            .max_features = max_features == 0 ? s.dimensions : (std::min)(max_features, s.dimensions),
            .min_leaf = min_leaf,
            .max_depth = max_depth,
            .bootstrap = bootstrap,
        };
        std::vector<detail::grown_tree> grown(trees);
        const auto grow = [&](std::size_t b) {
            grown[b] = detail::tree_grower(data, targets, y, limits, random::stream(key, stream_purpose, b)).grow();
        };
        run(trees, grow);
        state next;
        next.dimensions = s.dimensions;
        next.unit = unit;
        next.forest = detail::pack(grown, data, sd == forest_sd::total_variance);
        if (sd == forest_sd::jackknife) {
            core::plain_vector<std::uint32_t> counts;
            counts.reserve(trees * y.size());
            for (const auto& tree : grown) counts.append(tree.multiplicity);
            next.ij = jackknife(counts, trees);
        }
        s = std::move(next);
    }

    template <class T, generator G>
    void fit(state& s, const rows_of<T>& rows, std::span<const double> y, G& gen) const
    {
        fit(s, rows, y, core::serial, gen);
    }

    /// Predicts mean and sd of each row. Precondition: fitted by these parameters, rows of as many features, out.size()
    /// == rows.size().
    template <class T, core::executor Run>
    void predict(const state& s, const rows_of<T>& rows, std::span<stats::prediction> out, const Run& run) const
    {
        require(s.fitted() && out.size() == rows.size() && (rows.size() == 0 || rows.dimensions() == s.dimensions),
                "random_forest.predict: not fitted, rows of other features, or not one prediction per row");
        const std::size_t blocks = (rows.size() + detail::forest_block - 1) / detail::forest_block;
        const auto some = [&](std::size_t k) {
            const std::size_t begin = k * detail::forest_block;
            const std::size_t n = (std::min)(detail::forest_block, rows.size() - begin);
            if (s.forest.compact.empty()) {
                detail::large_walker walker(s.dimensions);
                walker.read(rows, begin, n);
                const auto walk = [&](std::size_t b) { walker.walk(s.forest.large.data() + s.forest.root[b]); };
                summarise(s, out.subspan(begin, n), walk, walker);
            } else {
                detail::small_walker walker(s.forest.codes);
                walker.read(rows, begin, n);
                const auto walk = [&](std::size_t b) {
                    walker.walk(s.forest.crowns[b], s.forest.compact.data() + s.forest.root[b]);
                };
                summarise(s, out.subspan(begin, n), walk, walker);
            }
        };
        run(blocks, some);
    }

    template <class T>
    void predict(const state& s, const rows_of<T>& rows, std::span<stats::prediction> out) const
    {
        predict(s, rows, out, core::serial);
    }

private:
    static constexpr std::uint32_t stream_purpose = 0x666f7265;  // "fore"

    template <class T>
    static void check(const state& s, const rows_of<T>& rows, std::span<const double> y)
    {
        require(rows.size() > 0, "random_forest.fit: no rows, want >= 1");
        require(rows.size() <= detail::packed_targets::max_rows, "random_forest.fit: too many rows, want < 2^20");
        require(rows.dimensions() == s.dimensions,
                "random_forest.fit: rows of another number of features than started, want the same");
        require(rows.size() == y.size(), "random_forest.fit: want one target per row");
        for (const double t : y)
            require(std::isfinite(t), "random_forest.fit: a target is NaN or infinite, want finite ones");
        const auto [low, high] = std::minmax_element(y.begin(), y.end());
        require(std::isfinite(*high - *low),
                "random_forest.fit: targets span more than a double holds, want a smaller range");
    }

    // Runs all trees over a block: `walk(b)` leaves the leaves of tree b in the walker.
    template <class Walk, class Walker>
    void summarise(const state& s, std::span<stats::prediction> out, const Walk& walk, const Walker& walker) const
    {
        constexpr std::size_t strip = 32;  // points of the jackknife at a time: trees x strip stays in the first cache
        const std::size_t n = out.size();
        const std::size_t h = s.trees();
        const auto count = static_cast<double>(h);
        const bool jack = sd == forest_sd::jackknife;
        std::array<double, detail::forest_block> origin, first{}, second{}, inner{};
        core::plain_vector<double> all(jack ? (n + strip - 1) / strip * strip * h : 0);
        for (std::size_t b = 0; b < h; ++b) {
            walk(b);
            const double* value = s.forest.value.data() + s.forest.root[b];
            if (b == 0)
                for (std::size_t r = 0; r < n; ++r) origin[r] = value[walker.leaf(r)];
            for (std::size_t r = 0; r < n; ++r) {  // less the first tree: equal trees give exactly their value and sd 0
                const double z = value[walker.leaf(r)] - origin[r];
                first[r] += z;
                second[r] += z * z;
            }
            if (jack)
                for (std::size_t r = 0; r < n; ++r)
                    all[(r / strip * h + b) * strip + r % strip] = value[walker.leaf(r)] - origin[r];
            if (sd == forest_sd::total_variance) {
                const double* variance = s.forest.variance.data() + s.forest.root[b];
                for (std::size_t r = 0; r < n; ++r) inner[r] += variance[walker.leaf(r)];
            }
        }
        for (std::size_t r = 0; r < n; ++r) {
            const double mean = first[r] / count;
            out[r].mean = (origin[r] + mean) * s.unit;
            out[r].sd = std::sqrt((std::max)(0.0, second[r] / count - mean * mean) + inner[r] / count) * s.unit;
        }
        for (std::size_t r = 0; jack && r < n; r += strip) {
            double* part = all.data() + r * h;
            for (std::size_t b = 0; b < h; ++b)
                for (std::size_t k = 0; k < strip && r + k < n; ++k) part[b * strip + k] -= first[r + k] / count;
            std::array<double, strip> variance;
            s.ij.variances(part, strip, variance.data());
            for (std::size_t k = 0; k < strip && r + k < n; ++k)
                out[r + k].sd = std::sqrt((std::max)(0.0, variance[k])) * s.unit;
        }
    }
};

}  // namespace tunekit::surrogate
