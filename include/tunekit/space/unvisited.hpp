// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The configurations that a strategy has not proposed yet, and uniform draws from them.

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/space/index_set.hpp"

namespace tunekit::space {

/// Remembers which configurations were proposed and draws from the others.
///
///     space::unvisited rest;
///     if (const auto i = rest.draw(space, gen)) use(*i);    // uniform among what is left; empty: nothing is left
///
/// It draws by rejection. Once more than 90 % are taken, it lists the rest once and draws from that list, so that the
/// last configuration costs as much as the first.
///
/// Randomness: one `uniform_index` per draw and per rejection, none when nothing is left.
/// Cost:       O(1) expected per draw, at most 10 rejections on average; the list is one pass over the indices.
/// Source:     the random picks of AutoTVM's tuner loop; the enumeration near the end is added.
class unvisited {
public:
    unvisited() = default;

    /// Starts with the indices of `taken` taken.
    explicit unvisited(index_set taken) : taken_(std::move(taken)) {}

    /// The set of indices that were taken.
    [[nodiscard]] const index_set& visited() const noexcept { return taken_; }

    /// The number of indices that were taken.
    [[nodiscard]] std::size_t taken() const noexcept { return taken_.size(); }

    /// Whether `i` was taken.
    [[nodiscard]] bool contains(index i) const noexcept { return taken_.contains(i); }

    /// Takes `i`. Returns false if it was taken already.
    bool take(index i) { return taken_.insert(i); }

    /// Takes a uniform draw from what is left of `space` and returns it; empty if nothing is left.
    template <counted Space, generator G>
    [[nodiscard]] std::optional<index> draw(const Space& space, G& gen)
    {
        const index size = space.size();
        if (taken_.size() >= size) return std::nullopt;
        if (!listed_ && taken_.size() > size - size / 10) list(size);
        if (!listed_) {
            for (;;) {
                const index i = tunekit::random::uniform_index(size, gen);
                if (taken_.insert(i)) return i;
            }
        }
        for (;;) {  // what was listed may have been taken by name since
            const auto k = static_cast<std::size_t>(tunekit::random::uniform_index(rest_.size(), gen));
            const index i = std::exchange(rest_[k], rest_.back());
            rest_.pop_back();
            if (taken_.insert(i)) return i;
        }
    }

    /// Whether both took the same indices and will draw the same.
    friend bool operator==(const unvisited&, const unvisited&) = default;

private:
    void list(index size);

    space::index_set taken_;
    std::vector<index> rest_;
    bool listed_ = false;
};

}  // namespace tunekit::space

#if TUNEKIT_BODIES
namespace tunekit::space {

TUNEKIT_INLINE void unvisited::list(index size)
{
    rest_.reserve(static_cast<std::size_t>(size) - taken_.size());
    for (index i = 0; i < size; ++i)
        if (!taken_.contains(i)) rest_.push_back(i);
    listed_ = true;
}

}  // namespace tunekit::space
#endif  // TUNEKIT_BODIES
