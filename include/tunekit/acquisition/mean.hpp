// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The prediction itself: what a model without uncertainty, or a tuner without curiosity, goes by.

#include "tunekit/acquisition/concepts.hpp"

namespace tunekit::acquisition {

/// The mean, in the unit of the score. AutoTVM's and Chameleon's criterion.
struct mean {
    [[nodiscard]] constexpr double value(const stats::prediction& p, double) const { return p.mean; }

    friend bool operator==(const mean&, const mean&) = default;
};

}  // namespace tunekit::acquisition
