// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The chance that a configuration is valid, by any model.

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/stats/prediction.hpp"
#include "tunekit/surrogate/concepts.hpp"

namespace tunekit::surrogate {

/// A model of what fails: any surrogate model, fitted to 1 for what ran and 0 for what failed.
///
///     ln P(x) = ln(floor + (1 - floor) m(x)),   m the model's mean, between 0 and 1
///
///     const surrogate::validity valid{surrogate::random_forest{.trees = 32}};
///     auto s = valid.start(space.feature_count(space::encoding::values));
///     valid.fit(s, rows, ran, gen);                 // ran[i] is 1 where rows[i] ran, else 0
///     for (const double x : valid.log_chances(s, candidates)) ...   // added to ln EI: EI times P
///
/// The floor is the chance of what the model is sure will fail: the best configurations often lie beside those that
/// fail, where it errs.
///
/// Errors:     std::invalid_argument for a floor outside (0, 1]; those of the model.
/// Randomness: what the model draws when it is fitted.
/// Source:     expected improvement times the chance of a constraint: Schonlau, Welch, Jones (1998), Global versus
///             local search in constrained optimization of computer models. The floor is ours.
template <class Model>
struct validity {
    Model model;         ///< of 1 for what ran, 0 for what failed
    double floor = 0.1;  ///< in (0, 1]

    using state = state_of<Model>;  ///< what the model has learned

    /// Starts with `columns` features.
    [[nodiscard]] state start(std::size_t columns) const
    {
        require(floor > 0 && floor <= 1, "surrogate::validity: floor is outside (0, 1] or NaN, want a chance");
        return model.start(columns);
    }

    /// Fits to all rows at once; `ran` has 1 or 0 for each.
    template <class Rows, class G>
    void fit(state& s, const Rows& rows, std::span<const double> ran, G& gen) const
    {
        model.fit(s, rows, ran, gen);
    }

    /// ln P of each row. Precondition: fitted.
    template <class Rows>
    [[nodiscard]] std::vector<double> log_chances(const state& s, const Rows& rows) const
    {
        core::plain_vector<stats::prediction> predicted(rows.size());
        if (!predicted.empty()) model.predict(s, rows, predicted);
        std::vector<double> out;
        out.reserve(predicted.size());
        for (const stats::prediction& p : predicted)
            out.push_back(std::log(floor + (1 - floor) * std::clamp(p.mean, 0.0, 1.0)));
        return out;
    }

    friend bool operator==(const validity&, const validity&) = default;
};

template <class Model>
validity(Model, double = 0.1) -> validity<Model>;

}  // namespace tunekit::surrogate
