// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// An average of two surrogate models.

#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/surrogate/concepts.hpp"

namespace programs {

/// Two models, fitted to the same rows. Their predictions form an equal mixture:
///
///     const average both{surrogate::gaussian_process{}, surrogate::random_forest{.trees = 32}};
///
///     mean = w m_1 + (1 - w) m_2,  sd^2 = w (s_1^2 + m_1^2) + (1 - w) (s_2^2 + m_2^2) - mean^2
///
/// Where they disagree, the mixture has a large sd, even if both have a small one.
///
/// Randomness: that of the first model's fit, then of the second's.
/// Cost:       the sum of both.
/// Threads:    as the models.
template <class First, class Second>
struct average {
    First first;          ///< a model
    Second second;        ///< another model
    double weight = 0.5;  ///< w of the first, in [0, 1]

    struct state {
        tunekit::surrogate::state_of<First> first;    ///< of the first model
        tunekit::surrogate::state_of<Second> second;  ///< of the second model

        friend bool operator==(const state&, const state&) = default;
    };

    /// An empty state for `d` features. Throws std::invalid_argument where weight is outside [0, 1], and what the
    /// models throw.
    [[nodiscard]] state start(std::size_t d) const
    {
        tunekit::require(weight >= 0 && weight <= 1, "average: weight is outside [0, 1] or NaN, want a share");
        return {.first = first.start(d), .second = second.start(d)};
    }

    template <class T, tunekit::generator G>
    void fit(state& s, const tunekit::surrogate::rows_of<T>& rows, std::span<const double> y, G& gen) const
    {
        state next = s;
        first.fit(next.first, rows, y, gen);
        second.fit(next.second, rows, y, gen);
        s = std::move(next);
    }

    template <class T>
    void predict(const state& s, const tunekit::surrogate::rows_of<T>& rows,
                 std::span<tunekit::stats::prediction> out) const
    {
        std::vector<tunekit::stats::prediction> other(out.size());
        first.predict(s.first, rows, out);
        second.predict(s.second, rows, std::span(other));
        for (std::size_t i = 0; i < out.size(); ++i) {
            const double apart = out[i].mean - other[i].mean;
            const double inner = weight * out[i].sd * out[i].sd + (1 - weight) * other[i].sd * other[i].sd;
            out[i] = {.mean = weight * out[i].mean + (1 - weight) * other[i].mean,
                      .sd = std::sqrt(inner + weight * (1 - weight) * apart * apart)};
        }
    }
};

template <class A, class B>
average(A, B) -> average<A, B>;
template <class A, class B>
average(A, B, double) -> average<A, B>;

}  // namespace programs
