// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Two states of one strategy in turn: one that knows of the past, and one that does not.

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "tunekit/space/concepts.hpp"
#include "tunekit/space/index_set.hpp"

namespace tunekit::search::detail {

/// Whose turn it is. A regular value.
struct turns {
    std::vector<index> starts{};         ///< to begin with, the next one last
    space::index_set taken{};            ///< what was proposed or observed
    std::size_t guided = 0, alone = 0;   ///< proposals, starts among the guided ones

    static constexpr std::size_t alone_from = 8;  ///< from this trial on every second is that of the plain state

    [[nodiscard]] bool plain_is_next() const noexcept
    {
        return guided + alone >= alone_from && alone <= guided - (std::min)(guided, alone_from);
    }

    friend bool operator==(const turns&, const turns&) = default;
};

/// At most `n` configurations: those to begin with, then what one of the two states proposes by `ask(plain, n)`. From trial
/// 8 on each has half of the proposals. So what the plain state finds in n of its own is found within about 8 + 2 n trials,
/// whatever the past says. What one state has out may be proposed by the other: it is asked again.
template <class Space, class Ask>
[[nodiscard]] std::vector<index> proposed_in_turn(turns& t, const Space& space, std::size_t n, const Ask& ask)
{
    std::vector<index> batch;
    while (batch.size() < n && !t.starts.empty()) {
        const index i = t.starts.back();
        t.starts.pop_back();
        if (t.taken.insert(i)) batch.push_back(i);
    }
    t.guided += batch.size();
    const bool plain = t.plain_is_next();
    if (!plain && t.guided + t.alone < turns::alone_from) n = (std::min)(n, turns::alone_from - t.guided - t.alone);
    while (batch.empty() && n > 0 && t.taken.size() < space.size()) {
        const std::vector<index> some = ask(plain, n);
        if (some.empty()) break;
        for (const index i : some)
            if (t.taken.insert(i)) batch.push_back(i);
        (plain ? t.alone : t.guided) += batch.size();
    }
    return batch;
}

}  // namespace tunekit::search::detail
