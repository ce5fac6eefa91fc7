// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The rows that a tree of the random forest grows on.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/surrogate/detail/binned.hpp"
#include "tunekit/surrogate/detail/forest/packed_targets.hpp"

namespace tunekit::surrogate::detail {

/// The distinct rows that were drawn for a tree, in an order that the tree's growth makes its own: a node's rows lie
/// side by side.
struct drawn_rows {
    const binned& data;
    core::plain_vector<std::uint32_t> multiplicity;  ///< by row of the data: times it was drawn
    core::plain_vector<std::uint64_t> word;          ///< by row of the data: its packed target, that many times
    core::plain_vector<std::uint32_t> order;         ///< rows of the data

    /// n rows with replacement, or all of them once.
    drawn_rows(const binned& from, const packed_targets& targets, bool bootstrap, random::philox& gen)
        : data(from), multiplicity(from.rows, bootstrap ? 0 : 1), word(from.rows), order(from.rows)
    {
        const std::size_t n = data.rows;
        if (bootstrap)
            for (std::size_t i = 0; i < n; ++i) ++multiplicity[random::uniform_index(n, gen)];
        std::size_t m = 0;
        for (std::size_t i = 0; i < n; ++i) {
            word[i] = targets.word[i] * multiplicity[i];
            order[m] = static_cast<std::uint32_t>(i);
            m += multiplicity[i] > 0;
        }
        order.resize(m);
    }

    [[nodiscard]] std::size_t size() const noexcept { return order.size(); }

    /// The words of the places [begin, end) join those of their slots.
    void add_to(std::uint64_t* histogram, std::size_t begin, std::size_t end) const
    {
        data.visit([=, this](const auto* slots) {
            const std::size_t d = data.dimensions;
            for (std::size_t i = begin; i < end; ++i) {
                const std::uint64_t w = word[order[i]];
                const auto* s = slots + std::size_t{order[i]} * d;
                for (std::size_t f = 0; f < d; ++f) histogram[s[f]] += w;
            }
        });
    }

    /// And leave them.
    void take_from(std::uint64_t* histogram, std::size_t begin, std::size_t end) const
    {
        data.visit([=, this](const auto* slots) {
            const std::size_t d = data.dimensions;
            for (std::size_t i = begin; i < end; ++i) {
                const std::uint64_t w = word[order[i]];
                const auto* s = slots + std::size_t{order[i]} * d;
                for (std::size_t f = 0; f < d; ++f) histogram[s[f]] -= w;
            }
        });
    }
};

}  // namespace tunekit::surrogate::detail
