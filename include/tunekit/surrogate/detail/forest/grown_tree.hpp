// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A tree of the random forest as it grew, and how far it may grow.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tunekit::surrogate::detail {

/// A node of a grown tree. A leaf has left == 0; the children of another are left and left + 1.
struct grown_node {
    std::uint32_t feature = 0;
    std::uint32_t low = 0, high = 0;  ///< the slots on both sides of the split
    std::uint32_t left = 0;
    double value = 0;     ///< mean target
    double variance = 0;  ///< population variance of the targets
};

struct grown_tree {
    std::vector<grown_node> nodes;            ///< nodes[0] is the root
    std::vector<std::uint32_t> multiplicity;  ///< times each training row was drawn
};

struct tree_growth_options {
    std::size_t max_features = 1;
    std::size_t min_leaf = 1;
    std::size_t max_depth = 0;  ///< 0: none
    bool bootstrap = true;
};

}  // namespace tunekit::surrogate::detail
