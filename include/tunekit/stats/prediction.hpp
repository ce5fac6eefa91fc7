// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What a model says of a quantity it has not seen.

#include "tunekit/core/config.hpp"

namespace tunekit::stats {

/// A mean and how far the truth may lie from it. `sd` is 0 where a model is certain or knows no uncertainty.
struct prediction {
    double mean = 0;
    double sd = 0;

    friend bool operator==(const prediction&, const prediction&) = default;
};

}  // namespace tunekit::stats
