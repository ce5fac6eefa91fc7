// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The set of configurations already proposed.

#include <bit>
#include <cstddef>
#include <vector>

#include "tunekit/space/concepts.hpp"

namespace tunekit::space {

/// A set of indices: membership and insertion, nothing that has an order to depend on.
/// Any index but 2^64 - 1, which no space has. Cost: O(1) expected, at most 32 bytes per member.
class index_set {
public:
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    [[nodiscard]] bool contains(index i) const noexcept { return !slots_.empty() && slots_[find(i)] == i; }

    /// Adds `i`; true where it was not there yet.
    bool insert(index i)
    {
        if (8 * (size_ + 1) > 5 * slots_.size()) grow();
        const std::size_t at = find(i);
        if (slots_[at] == i) return false;
        slots_[at] = i;
        ++size_;
        return true;
    }

    /// Equal as sets, whatever the order of insertion.
    friend bool operator==(const index_set& a, const index_set& b)
    {
        if (a.size_ != b.size_) return false;
        for (const index i : a.slots_)
            if (i != none && !b.contains(i)) return false;
        return true;
    }

private:
    static constexpr index none = ~index{0};

    /// Where `i` is, or the free slot where it belongs: linear probing from a Fibonacci hash.
    [[nodiscard]] std::size_t find(index i) const noexcept
    {
        const std::size_t mask = slots_.size() - 1;
        const int shift = 64 - std::countr_zero(slots_.size());
        std::size_t at = static_cast<std::size_t>((i * 0x9E3779B97F4A7C15U) >> shift);
        while (slots_[at] != i && slots_[at] != none) at = (at + 1) & mask;
        return at;
    }

    void grow()
    {
        std::vector<index> old(slots_.empty() ? 16 : 2 * slots_.size(), none);
        old.swap(slots_);
        for (const index i : old)
            if (i != none) slots_[find(i)] = i;
    }

    std::vector<index> slots_;
    std::size_t size_ = 0;
};

}  // namespace tunekit::space
