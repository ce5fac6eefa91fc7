// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What an acquisition criterion is: how much a prediction is worth measuring.

#include <concepts>

#include "tunekit/stats/prediction.hpp"

namespace tunekit::acquisition {

/// `value(p, best)`: the worth of measuring a candidate whose score is predicted as `p` when `best` is the best score
/// measured. Scores are maximised (tune/ turns costs into scores). Never NaN for finite arguments with sd >= 0.
template <class A>
concept criterion = std::copyable<A> && requires(const A& a, const stats::prediction& p, double best) {
    { a.value(p, best) } -> std::same_as<double>;
};

}  // namespace tunekit::acquisition
