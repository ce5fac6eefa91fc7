// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A model that starts from a model of earlier tasks.

#include <cassert>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/surrogate/concepts.hpp"

namespace tunekit::surrogate {

/// Fits `model` to the residuals of `past`, the same kind of model fitted to other tasks:
///
///     const random_forest model{};
///     auto past = model.start(d);
///     model.fit(past, other_rows, other_scores, gen);              // features of the same meaning, scores of the same scale
///     const transfer informed{model, past};                        // a surrogate like any
///
/// With n rows of its own the past has the weight w = 2^(-n / half_life), and 0 once that is below `min_weight`. A
/// model with base margins (`boosted_trees`) takes w times the margins of the past as its own. Any other model is
/// fitted to y - w h, where h is the mean of the past. It predicts mean + w h with variance sd^2 + (w sd_h)^2. Before
/// the first fit it predicts as the past does (`knows`), so the first round need not be random.
///
/// Randomness: that of the model.
/// Cost:       that of the model, and one prediction of the past per row fitted or predicted while w > 0.
/// Threads:    as the model.
/// Source:     TVM's XGBoostCostModel (base margins, 64 and 0.05); residuals for other models are ours.
/// Departures: TVM permutes the training rows and not their base margins; here margins are predicted for the rows in
///             their order.
template <class Model>
struct transfer {
    Model model;                                ///< fitted to what the past leaves
    state_of<Model> past;                       ///< fitted
    double half_life = 64;                      ///< > 0; rows
    static constexpr double min_weight = 0.05;  ///< share below which the past is dropped

    struct state {
        state_of<Model> own;  ///< of `model`
        double weight = 1;    ///< of the past
        bool fitted = false;  ///< `own` is

        friend bool operator==(const state&, const state&) = default;
    };

    /// An empty state for `d` features. Throws std::invalid_argument where half_life is not positive, and what the
    /// model throws.
    [[nodiscard]] state start(std::size_t d) const
    {
        require(half_life > 0, "surrogate::transfer: half_life is not positive, want > 0");
        return {.own = model.start(d), .weight = 1, .fitted = false};
    }

    /// Whether it can predict: always true, because before the first fit it predicts as the past does.
    [[nodiscard]] bool knows(const state&) const noexcept { return true; }

    template <class T, generator G>
    void fit(state& s, const rows_of<T>& rows, std::span<const double> y, G& gen) const
    {
        state next{.own = s.own, .weight = std::exp2(-static_cast<double>(rows.size()) / half_life), .fitted = true};
        if (next.weight < min_weight) next.weight = 0;
        if (next.weight == 0) {
            model.fit(next.own, rows, y, gen);
        } else if constexpr (has_margins<T>) {
            const std::vector<double> base = margins(rows, next.weight);
            model.fit(next.own, rows, y, base, gen);
        } else {
            std::vector<stats::prediction> h(rows.size());
            model.predict(past, rows, std::span(h));
            std::vector<double> rest(y.begin(), y.end());
            for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= next.weight * h[i].mean;
            model.fit(next.own, rows, std::span<const double>(rest), gen);
        }
        s = std::move(next);
    }

    /// Predicts mean and sd of each row. Precondition: rows of as many features as the past has, out.size() ==
    /// rows.size().
    template <class T>
    void predict(const state& s, const rows_of<T>& rows, std::span<stats::prediction> out) const
    {
        if (!s.fitted) {
            model.predict(past, rows, out);
        } else if (s.weight == 0) {
            model.predict(s.own, rows, out);
        } else if constexpr (has_margins<T>) {
            const std::vector<double> base = margins(rows, s.weight);
            model.predict(s.own, rows, base, out);
        } else {
            std::vector<stats::prediction> h(rows.size());
            model.predict(past, rows, std::span(h));
            model.predict(s.own, rows, out);
            for (std::size_t i = 0; i < h.size(); ++i)
                out[i] = {.mean = out[i].mean + s.weight * h[i].mean, .sd = std::hypot(out[i].sd, s.weight * h[i].sd)};
        }
    }

private:
    template <class T>
    static constexpr bool has_margins = requires(const Model& m, const state_of<Model>& s, const rows_of<T>& rows,
                                                 std::span<double> out) { m.margins(s, rows, out); };

    template <class T>
    [[nodiscard]] std::vector<double> margins(const rows_of<T>& rows, double weight) const
    {
        std::vector<double> out(rows.size());
        model.margins(past, rows, std::span(out));
        for (double& m : out) m *= weight;
        return out;
    }
};

template <class Model, class State>
transfer(Model, State) -> transfer<Model>;
template <class Model, class State>
transfer(Model, State, double) -> transfer<Model>;
template <class Model, class State>
transfer(Model, State, double, double) -> transfer<Model>;

}  // namespace tunekit::surrogate
