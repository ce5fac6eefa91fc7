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
    std::size_t max_kernels = 8;  ///< >= 1; the most configurations that the library keeps, over all devices together
    /// The share of the time that one more must save, on average over shapes.
    static constexpr double min_gain = 0.001;
    std::size_t min_leaf = 2;  ///< >= 1; the least number of shapes in a leaf of the tree
    /// >= 0; the sum of log losses that a leaf of the tree must save. Empty: cross-validation within the shapes of the
    /// fit chooses it, as the largest of 4, 2, 1, ..., 1/16 whose loss is within a standard error of the least.
    std::optional<double> leaf_penalty{};
    std::size_t folds = 0;    ///< the number of folds of the cross-validation, not 1; 0: each shape alone
    bool or_untuned = false;  ///< whether the rule may prefer what the program runs untuned; `pick::untuned` says where

    /// Throws std::invalid_argument where a setting is out of range.
    void validate() const
    {
        require(max_kernels >= 1, "fit: max_kernels is 0, want >= 1");
        require(leaf_penalty.value_or(0) >= 0, "fit: leaf_penalty is negative or NaN, want >= 0");
        require(min_leaf >= 1, "fit: min_leaf is 0, want >= 1");
        require(folds != 1, "fit: folds is 1, want 0 or at least 2");
    }
};

}  // namespace tunekit::dispatch
