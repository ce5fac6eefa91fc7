// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The configurations that a search has proposed, in little memory.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tunekit/core/index_table.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::online::detail {

/// A set of configurations, and uniform draws from the others. It takes 4 bytes for each member, and a reserve of an
/// eighth. `space` is the same in all calls. A regular value.
///
/// Up to 2^32 configurations it is exact. For larger spaces it keeps a hash, so that a new configuration is taken for
/// an old one with a probability of the number of members over 2^32.
///
/// Randomness: one `uniform_index` per draw; in spaces of more than 2^32 configurations one more per rejection.
/// Cost:       O(log n) to look up; adding moves at most 4 n bytes.
class tried {
public:
    [[nodiscard]] std::size_t size() const noexcept { return keys_.size(); }

    /// Adds `i`. Returns false where it was a member already.
    template <class Space>
    bool take(index i, const Space& space)
    {
        const std::uint32_t key = key_of(i, space.size());
        auto at = std::lower_bound(keys_.begin(), keys_.end(), key);
        if (at != keys_.end() && *at == key) return false;
        if (keys_.size() == keys_.capacity()) {
            const auto place = at - keys_.begin();
            keys_.reserve(keys_.size() + keys_.size() / 8 + 16);
            at = keys_.begin() + place;
        }
        keys_.insert(at, key);
        return true;
    }

    /// Adds a uniform draw from the rest of `space` and returns it; empty where nothing is left.
    template <class Space, generator G>
    [[nodiscard]] std::optional<index> draw(const Space& space, G& gen)
    {
        const index all = space.size();
        if (all > exact) {
            index i = tunekit::random::uniform_index(all, gen);
            while (!take(i, space)) i = tunekit::random::uniform_index(all, gen);
            return i;
        }
        if (keys_.size() >= all) return std::nullopt;
        // Before the k-th non-member stand k non-members, and the members that have at most k non-members before them.
        const index k = tunekit::random::uniform_index(all - keys_.size(), gen);
        std::size_t before = 0, after = keys_.size();
        while (before < after) {
            const std::size_t middle = before + (after - before) / 2;
            if (keys_[middle] - middle <= k) before = middle + 1;
            else after = middle;
        }
        const index i = k + before;
        take(i, space);
        return i;
    }

    friend bool operator==(const tried&, const tried&) = default;

private:
    static constexpr index exact = index{1} << 32;

    [[nodiscard]] static constexpr std::uint32_t key_of(index i, index all) noexcept
    {
        return static_cast<std::uint32_t>(all <= exact ? i : core::mixed(0, i) >> 32);
    }

    std::vector<std::uint32_t> keys_;  ///< ascending
};

}  // namespace tunekit::online::detail
