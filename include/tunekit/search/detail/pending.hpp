// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What a strategy proposed and has no answer for yet.

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::search::detail {

/// Configurations that are out, in the order in which they were proposed. A regular value.
///
///     out.add(i);
///     if (out.take(i)) ...  // proposed by this strategy, and answered now
///
/// Cost: O(1) to add; to take, a pass over what is out, about as many as there are workers.
class pending {
public:
    [[nodiscard]] std::size_t size() const noexcept { return out_.size(); }
    [[nodiscard]] bool empty() const noexcept { return out_.empty(); }
    [[nodiscard]] std::span<const index> candidates() const noexcept { return out_; }

    void add(index i) { out_.push_back(i); }
    void add(std::span<const index> some) { out_.insert(out_.end(), some.begin(), some.end()); }

    /// Takes `i` out. Returns whether it was there.
    bool take(index i);

    friend bool operator==(const pending&, const pending&) = default;

private:
    std::vector<index> out_;
};

}  // namespace tunekit::search::detail

#if TUNEKIT_BODIES
namespace tunekit::search::detail {

TUNEKIT_INLINE bool pending::take(index i)
{
    const auto at = std::find(out_.begin(), out_.end(), i);
    if (at == out_.end()) return false;
    out_.erase(at);
    return true;
}

}  // namespace tunekit::search::detail
#endif  // TUNEKIT_BODIES
