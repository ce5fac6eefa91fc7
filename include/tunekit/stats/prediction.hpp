// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A prediction: a mean and its uncertainty.

#include "tunekit/core/config.hpp"

namespace tunekit::stats {

/// A mean and its standard deviation. `sd` is 0 where a model is certain or has no uncertainty.
struct prediction {
    double mean = 0;  ///< expected value
    double sd = 0;    ///< standard deviation, in the same unit

    friend bool operator==(const prediction&, const prediction&) = default;
};

}  // namespace tunekit::stats
