// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The hash table of tunekit, for sets of indices and for sharing equal items.

#include <cstddef>
#include <cstdint>

#include "tunekit/core/config.hpp"
#include "tunekit/core/detail/plain_vector.hpp"

namespace tunekit::core {

/// Mixes `x` into a hash of earlier numbers. Begin with 0. The upper bits of the hash are the well mixed ones.
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t hash, std::uint64_t x) noexcept
{
    hash = (hash ^ x) * 0x9E3779B97F4A7C15U;
    return hash ^ hash >> 32;
}

/// A table of numbers of type `Entry`. A number stands for itself, or for the item with that number in an array. The
/// caller hashes and compares those items. Open addressing with linear probing. No result depends on an order.
///
///     index_table<std::uint32_t> table;                               // of rows in an array
///     const auto there = table.add(n, hash_of(n), same_as(n), hash_of);  // n itself where no such row was there
///
/// Cost: O(1) expected; 16 entries at first, twice as many whenever 5/8 are taken.
template <class Entry>
class index_table {
public:
    static constexpr Entry none = static_cast<Entry>(~Entry{0});  ///< no entry has this value

    /// The number of entries.
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    /// Every slot: an entry, or none.
    [[nodiscard]] const core::plain_vector<Entry>& slots() const noexcept { return slots_; }

    /// The entry with that hash for which `same(entry)` holds; else none.
    template <class Same>
    [[nodiscard]] Entry find(std::uint64_t hash, const Same& same) const
    {
        return slots_.empty() ? none : slots_[slot(hash, same)];
    }

    /// The entry that `find` gives, or `entry`, which is added if nothing is found. `hash_of(e)` is called when the
    /// table grows.
    template <class Same, class HashOf>
    Entry add(Entry entry, std::uint64_t hash, const Same& same, const HashOf& hash_of)
    {
        if (8 * (size_ + 1) > 5 * slots_.size()) grow(slots_.empty() ? 4 : 65 - shift_, hash_of);
        Entry& at = slots_[slot(hash, same)];
        if (at != none) return at;
        ++size_;
        return at = entry;
    }

    /// Makes room for `n` entries.
    template <class HashOf>
    void reserve(std::size_t n, const HashOf& hash_of)
    {
        int log_slots = slots_.empty() ? 4 : 64 - shift_;
        while (8 * n > 5 * (std::size_t{1} << log_slots)) ++log_slots;
        if (slots_.size() < std::size_t{1} << log_slots) grow(log_slots, hash_of);
    }

private:
    /// Where the entry is, or the free slot where it belongs.
    template <class Same>
    [[nodiscard]] std::size_t slot(std::uint64_t hash, const Same& same) const
    {
        auto at = static_cast<std::size_t>(hash >> shift_);
        while (slots_[at] != none && !same(slots_[at])) at = (at + 1) & (slots_.size() - 1);
        return at;
    }

    template <class HashOf>
    void grow(int log_slots, const HashOf& hash_of)
    {
        core::plain_vector<Entry> old(std::size_t{1} << log_slots, none);
        old.swap(slots_);
        shift_ = 64 - log_slots;
        for (const Entry e : old)
            if (e != none) slots_[slot(hash_of(e), [](Entry) { return false; })] = e;
    }

    core::plain_vector<Entry> slots_;
    std::size_t size_ = 0;
    int shift_ = 64;  // 64 - log2 of the slots
};

}  // namespace tunekit::core
