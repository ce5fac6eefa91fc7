// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The concept of an acquisition criterion: the value of measuring a candidate, from its prediction.

#include <concepts>

#include "tunekit/stats/prediction.hpp"

namespace tunekit::acquisition {

/// A criterion: `value(p, best)` is the value of measuring a candidate whose score is predicted as `p` when `best` is
/// the best score measured. Scores are maximised (tune/ turns costs into scores). The value is never NaN for finite
/// arguments with sd >= 0.
template <class A>
concept criterion = std::copyable<A> && requires(const A& a, const stats::prediction& p, double best) {
    { a.value(p, best) } -> std::same_as<double>;
};

}  // namespace tunekit::acquisition
