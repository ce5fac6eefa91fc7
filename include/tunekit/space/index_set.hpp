// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A set of configurations, such as those already proposed.

#include <cstddef>
#include <cstdint>

#include "tunekit/core/index_table.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::space {

/// A set of indices with membership and insertion. No operation depends on an order. The index 2^64 - 1, which no space
/// has, is not allowed. Cost: O(1) expected, at most 32 bytes per member.
class index_set {
public:
    [[nodiscard]] std::size_t size() const noexcept { return table_.size(); }

    /// Whether `i` is a member.
    [[nodiscard]] bool contains(index i) const noexcept { return table_.find(hash(i), same{i}) == i; }

    /// Adds `i`. Returns true if it was not a member yet.
    bool insert(index i)
    {
        const std::size_t before = size();
        table_.add(i, hash(i), same{i}, hash);
        return size() != before;
    }

    /// Equal as sets, whatever the order of insertion.
    friend bool operator==(const index_set& a, const index_set& b)
    {
        if (a.size() != b.size()) return false;
        for (const index i : a.table_.slots())
            if (i != table::none && !b.contains(i)) return false;
        return true;
    }

private:
    using table = core::index_table<index>;

    struct same {
        index i;
        [[nodiscard]] constexpr bool operator()(index other) const noexcept { return other == i; }
    };

    [[nodiscard]] static constexpr std::uint64_t hash(index i) noexcept { return i * 0x9E3779B97F4A7C15U; }

    table table_;
};

}  // namespace tunekit::space
