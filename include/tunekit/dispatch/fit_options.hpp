// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// How a choice for every shape is made from results.

#include <cstddef>
#include <optional>

#include "tunekit/core/error.hpp"

namespace tunekit::dispatch {

/// How `fit` chooses. An aggregate: name what you change.
struct fit_options {
    std::size_t max_kernels = 8;  ///< configurations that the library keeps, over all devices together; >= 1
    double min_gain = 0.001;      ///< a further one must save this share of the time, on average over shapes; >= 0
    double reach = 1;             ///< powers of two within which a shape's neighbours have a say in `nearest`; >= 0
    std::size_t min_leaf = 2;     ///< shapes of a tree's leaf; >= 1
    /// Sum of log losses that a leaf of the tree must save; >= 0. Empty: chosen by cross-validation within the shapes of the
    /// fit, the largest of 4, 2, 1, ..., 1/16 whose loss is within a standard error of the least.
    std::optional<double> leaf_penalty{};
    std::size_t folds = 0;    ///< of the cross-validation; 0: each shape for itself
    bool or_untuned = false;  ///< the rule may prefer what the program runs untuned: `pick::untuned` says where

    /// Throws std::invalid_argument where a setting is out of range.
    void validate() const
    {
        require(max_kernels >= 1, "fit: max_kernels is 0, want >= 1");
        require(min_gain >= 0 && reach >= 0 && leaf_penalty.value_or(0) >= 0,
                "fit: min_gain, reach or leaf_penalty is negative or NaN, want >= 0");
        require(min_leaf >= 1, "fit: min_leaf is 0, want >= 1");
        require(folds != 1, "fit: folds is 1, want 0 or at least 2");
    }
};

}  // namespace tunekit::dispatch
