// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The trees of a boosted model.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tunekit::surrogate::detail {

/// Trees as complete binary trees of one depth: 2^depth - 1 splits and 2^depth leaves each, children of i at 2i + 1 and
/// 2i + 2. Below a node that was not split, comparisons with +inf lead left.
struct boosted_ensemble {
    std::size_t depth = 0;
    std::size_t trees = 0;
    std::vector<std::uint32_t> feature;
    std::vector<float> threshold;  ///< rows with a greater value go right
    std::vector<float> leaf;

    friend bool operator==(const boosted_ensemble&, const boosted_ensemble&) = default;

    [[nodiscard]] std::size_t splits() const noexcept { return (std::size_t{1} << depth) - 1; }
    [[nodiscard]] std::size_t leaves() const noexcept { return std::size_t{1} << depth; }
};

}  // namespace tunekit::surrogate::detail
