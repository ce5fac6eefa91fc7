// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The random forest with forestci's default sd: the jackknife, calibrated over all points that are predicted at once.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "bench/studies/support/calibration.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/surrogate/random_forest.hpp"

namespace programs {

/// A forest whose sds are the jackknife's, calibrated: AdaTune cites forestci, which does so by default.
///
///     const calibrated_forest model{{.trees = 200}};
///
/// The noise of the variances is told from how far those of the first half of the trees lie from those of all.
///
/// Errors:     std::invalid_argument as the forest's, and for one tree.
/// Randomness: as the forest's. Cost: that of the forest by its nodes, and some 20 ms more per call of predict.
/// Source:     Wager, Hastie, Efron (2014), Confidence Intervals for Random Forests, JMLR 15; forestci 0.9.
/// Departures: the noise is that of the first half of the trees; forestci draws half of them. As in forestci, 20 points
///             or fewer are not calibrated.
struct calibrated_forest {
    tunekit::surrogate::random_forest forest{};  ///< its sd is the jackknife's, whatever it says

    struct state {
        tunekit::surrogate::random_forest::state all;  ///< the forest
        tunekit::surrogate::jackknife half;            ///< of the first half of its trees

        friend bool operator==(const state&, const state&) = default;
    };

    [[nodiscard]] state start(std::size_t d) const
    {
        tunekit::require(forest.trees > 1, "calibrated_forest: one tree to calibrate, want trees >= 2");
        return {.all = jackknifed(forest.trees).start(d), .half = {}};
    }

    template <class T, tunekit::generator G>
    void fit(state& s, const tunekit::surrogate::rows_of<T>& rows, std::span<const double> y, G& gen) const
    {
        G same = gen;  // half of the trees from the same draws are the first half of all
        const auto half = jackknifed((forest.trees + 1) / 2);
        auto some = half.start(rows.dimensions());
        half.fit(some, rows, y, same);
        jackknifed(forest.trees).fit(s.all, rows, y, gen);
        s.half = some.ij;
    }

    template <class T>
    void predict(const state& s, const tunekit::surrogate::rows_of<T>& rows,
                 std::span<tunekit::stats::prediction> out) const
    {
        jackknifed(forest.trees).predict(s.all, rows, out);
        if (rows.size() <= 20) return;
        std::vector<double> variances, values(s.all.trees());
        double apart = 0;
        for (std::size_t r = 0; r < rows.size(); ++r) {
            for (std::size_t b = 0; b < values.size(); ++b) values[b] = value_of(s.all, b, rows[r]);
            variances.push_back(variance(s.all.ij, values));
            const double other = variance(s.half, std::span(values).first(s.half.trees()));
            apart += (other - variances[r]) * (other - variances[r]) / static_cast<double>(rows.size());
        }
        const double share = static_cast<double>(s.half.trees()) / static_cast<double>(s.all.trees()), rest = 1 - share;
        variances = calibrated(variances, (share * share + rest * rest) / (2 * rest * rest) * apart);
        for (std::size_t r = 0; r < out.size(); ++r) out[r].sd = std::sqrt((std::max)(0.0, variances[r]));
    }

private:
    [[nodiscard]] tunekit::surrogate::random_forest jackknifed(std::size_t trees) const
    {
        auto out = forest;
        out.trees = trees;
        out.sd = tunekit::surrogate::forest_sd::jackknife;
        return out;
    }

    template <class T>
    [[nodiscard]] static double value_of(const tunekit::surrogate::random_forest::state& s, std::size_t tree,
                                         std::span<const T> row)
    {
        auto n = s.node(tree, 0);
        while (!n.leaf) n = s.node(tree, static_cast<float>(row[n.feature]) > n.threshold ? n.right : n.left);
        return n.value;
    }

    [[nodiscard]] static double variance(const tunekit::surrogate::jackknife& of, std::span<const double> values)
    {
        double mean = 0;
        for (const double v : values) mean += v / static_cast<double>(values.size());
        std::vector<double> centred;
        for (const double v : values) centred.push_back(v - mean);
        return of.variance(centred);
    }
};

}  // namespace programs
