// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What the covariance of a Gaussian process is made of, and what is believed of it beforehand.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tunekit/core/config.hpp"

namespace tunekit::surrogate {

/// How two values of a column compare.
enum class column_distance : std::uint8_t {
    difference,  ///< |x - z|: numbers
    overlap,     ///< [x != z]: names, where one is no farther from the next than from any other
};

/// A covariance s^2 (1 + a + a^2 / 3) e^-a + noise [same row],  a^2 = 5 sum_c (distance_c / length_c)^2: Matern 5/2.
struct process_parameters {
    std::vector<double> lengths;  ///< > 0, one per column, in ranges of the column (1 for `overlap`)
    double variance = 1;          ///< s^2 > 0, in variances of the targets
    double noise = 1e-6;          ///< > 0, in variances of the targets

    friend bool operator==(const process_parameters&, const process_parameters&) = default;
};

/// What is believed of the parameters before any row: normal distributions of their logarithms. A spread of infinity is no
/// belief.
///
/// The length grows with the root of the number of columns, as distances do: without it, points of many columns have no
/// covariance.
/// Source: Hvarfner, Hellsten, Nardi (2024), Vanilla Bayesian Optimization Performs Great in High Dimensions, ICML (the
///         scaling).
struct process_prior {
    double length = 0.5;         ///< > 0; the middle one, of d columns length sqrt(d), in ranges of the column
    double length_spread = 1;    ///< > 0; sd of ln length
    double variance_spread = 1;  ///< > 0; sd of ln variance around 0
    double noise = 1e-3;         ///< > 0; the middle one
    double noise_spread = 2;     ///< > 0; sd of ln noise

    friend bool operator==(const process_prior&, const process_prior&) = default;
};

}  // namespace tunekit::surrogate
