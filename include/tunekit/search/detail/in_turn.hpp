// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Two states of one strategy in turn: one that knows of the past, and one that does not.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/space/index_set.hpp"

namespace tunekit::search::detail {

/// A state or none, inside of a state of the same type: it need not be whole. A regular value where the state is.
template <class State>
class other_state {
public:
    other_state() = default;
    other_state(const other_state& other) : held_(other.held_ == nullptr ? nullptr : new State(*other.held_)) {}
    other_state(other_state&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
    other_state& operator=(other_state other) noexcept
    {
        std::swap(held_, other.held_);
        return *this;
    }
    ~other_state() { delete held_; }

    /// Holds `s`. Precondition: it holds none.
    void hold(State&& s) { held_ = new State(std::move(s)); }

    [[nodiscard]] bool there() const noexcept { return held_ != nullptr; }
    [[nodiscard]] State& operator*() const noexcept { return *held_; }

    friend bool operator==(const other_state& a, const other_state& b)
    {
        return a.held_ == nullptr || b.held_ == nullptr ? a.held_ == b.held_ : *a.held_ == *b.held_;
    }

private:
    State* held_ = nullptr;
};

/// Whose turn it is. A regular value.
struct turns {
    static constexpr std::size_t alone_from = 8;  ///< from this trial on the plain state has half of the requests
    static constexpr std::size_t stale = 12;      ///< after so many trials without a better one, three of four

    std::vector<index> starts{};                            ///< to begin with, the next one last
    space::index_set taken{};                               ///< what was proposed or observed
    std::size_t proposed = 0;                               ///< by both, the starts too
    std::size_t requests = 0;                               ///< after the first `alone_from` proposals
    std::size_t since_better = 0;                           ///< answers since the best one
    double best = std::numeric_limits<double>::infinity();  ///< cost

    [[nodiscard]] bool plain_is_next() const noexcept
    {
        if (proposed < alone_from) return false;
        return since_better < stale ? requests % 2 == 0 : requests % 4 != 3;
    }

    /// Hears of results that both states hear of.
    void hear(std::span<const index> batch, std::span<const measure::measurement> measured)
    {
        for (std::size_t k = 0; k < batch.size(); ++k) {
            taken.insert(batch[k]);
            ++since_better;
            if (!measured[k].ok() || !(measured[k].cost < best)) continue;
            best = measured[k].cost;
            since_better = 0;
        }
    }

    friend bool operator==(const turns&, const turns&) = default;
};

/// At most `n` configurations: those to begin with, then what one of the two states proposes by `ask(plain, n)`. From
/// trial 8 on the plain one has at least half of the requests, so what it finds in n of its own is found within about
/// 8 + 2 n trials, whatever the past says. It has three of four while nothing better turns up. What one state has out
/// may be proposed by the other: it is asked again.
template <class Space, class Ask>
[[nodiscard]] std::vector<index> proposed_in_turn(turns& t, const Space& space, std::size_t n, const Ask& ask)
{
    std::vector<index> batch;
    while (batch.size() < n && !t.starts.empty()) {
        const index i = t.starts.back();
        t.starts.pop_back();
        if (t.taken.insert(i)) batch.push_back(i);
    }
    const bool early = t.proposed < turns::alone_from, plain = t.plain_is_next();
    if (early) n = (std::min)(n, turns::alone_from - t.proposed);
    while (batch.empty() && n > 0 && t.taken.size() < space.size()) {
        const std::vector<index> some = ask(plain, n);
        if (some.empty()) break;
        for (const index i : some)
            if (t.taken.insert(i)) batch.push_back(i);
    }
    t.proposed += batch.size();
    if (!early && !batch.empty()) ++t.requests;
    return batch;
}

}  // namespace tunekit::search::detail
