// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The parameters of a Gaussian process's covariance, and their prior.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tunekit/core/config.hpp"

namespace tunekit::surrogate {

/// The distance between two values of a column.
enum class column_distance : std::uint8_t {
    difference,  ///< |x - z|, for numbers
    overlap,     ///< [x != z], for names: all different names are equally far apart
    both,        ///< the two side by side, each with a length: for numbers where neighbours may be far apart
};

/// The parameters of the covariance s^2 (1 + a + a^2 / 3) e^-a + noise [same row],  a^2 = 5 sum_c (distance_c /
/// length_c)^2: Matern 5/2.
struct process_parameters {
    /// > 0, one per distance, in ranges of the column (1 for `overlap`): first those of all columns in their order,
    /// then the overlaps of the columns that have both.
    std::vector<double> lengths;
    double variance = 1;  ///< s^2 > 0, in variances of the targets
    double noise = 1e-6;  ///< > 0, in variances of the targets

    friend bool operator==(const process_parameters&, const process_parameters&) = default;
};

/// The prior of the parameters: normal distributions of their logarithms. A spread of infinity means no prior.
///
/// The length grows with the root of the number of columns that differ in the rows, as distances do. Without that,
/// points with many columns would have no covariance.
/// Source: Hvarfner, Hellsten, Nardi (2024), Vanilla Bayesian Optimization Performs Great in High Dimensions, ICML (the
///         scaling).
struct process_prior {
    double length = 0.5;         ///< > 0; the median; for d columns it is length sqrt(d), in ranges of the column
    double overlap_length = 1;   ///< > 0; the same of an overlap
    double length_spread = 1;    ///< > 0; sd of ln length
    double variance_spread = 1;  ///< > 0; sd of ln variance around 0
    double noise = 1e-3;         ///< > 0; the median
    double noise_spread = 2;     ///< > 0; sd of ln noise

    friend bool operator==(const process_prior&, const process_prior&) = default;
};

}  // namespace tunekit::surrogate
