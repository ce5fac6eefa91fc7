// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// From conditions to the states that rows pass through, level by level.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/core/index_table.hpp"
#include "tunekit/space/detail/level_order.hpp"

namespace tunekit::space::detail {

[[noreturn, gnu::cold]] inline void too_many_links()
{
    invalid("space: constraints link too many values to be counted, want them over fewer parameters or values");
}

/// What a space may cost: a combination of values that is looked at counts once, one that is kept, in some 30 bytes,
/// eight times more. It is some 5 s or 0.3 GiB at most, and a number, so that a space that is accepted once always is.
inline constexpr std::uint64_t most_combinations = std::uint64_t{1} << 26;

/// Thrown where a tree would cost more.
struct too_costly {};

/// Tuples of 16-bit ordinals of one length, each kept once and known by its number: the states of a level.
class interned {
public:
    explicit interned(std::size_t length) : length_(length) {}

    [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(table_.size()); }
    [[nodiscard]] const std::uint16_t* operator[](std::size_t i) const noexcept { return words_.data() + i * length_; }

    /// The number of the tuple.
    [[gnu::hot]] std::uint32_t add(const std::uint16_t* tuple)
    {
        const std::uint32_t n = size();
        if (n == 0xfffffffeU) too_many_links();
        const auto same = [&](std::uint32_t entry) {
            const std::uint16_t* other = (*this)[entry];
            std::size_t i = 0;
            while (i < length_ && other[i] == tuple[i]) ++i;
            return i == length_;
        };
        const std::uint32_t entry = table_.add(n, hash(tuple), same, [&](std::uint32_t e) { return hash((*this)[e]); });
        if (entry == n) words_.append({tuple, length_});
        return entry;
    }

private:
    [[nodiscard]] std::uint64_t hash(const std::uint16_t* tuple) const noexcept
    {
        std::uint64_t h = 0;
        for (std::size_t i = 0; i < length_; ++i) h = core::mixed(h, tuple[i]);
        return h;
    }

    std::size_t length_;
    core::plain_vector<std::uint16_t> words_;
    core::index_table<std::uint32_t> table_;
};

/// One level: a state is what this and later levels must know of the values before it.
struct level {
    core::plain_vector<std::uint32_t> first{};   ///< states + 1; where a state's branches begin
    core::plain_vector<std::uint16_t> value{};   ///< by branch: the ordinal
    core::plain_vector<std::uint32_t> target{};  ///< by branch: the state of the next level
};

/// Whether a row fulfils all of `conditions`. Not inlined: the loop over values has no register left for this one.
[[nodiscard, gnu::noinline, gnu::hot]] inline bool fulfils(const std::uint16_t* row,
                                                           std::span<const open_condition* const> conditions)
{
    for (const open_condition* const c : conditions)
        if (!c->holds(row)) return false;
    return true;
}

/// The levels of `order`, which holds all parameters of the conditions; `sizes` are those of all parameters. What it
/// costs is added to `spent`. Throws too_costly.
/// Cost: each condition is evaluated once per distinct combination of the values that it and later levels ask for.
[[nodiscard, gnu::hot]] inline std::vector<level> enumerate(std::span<const std::size_t> order,
                                                            std::span<const open_condition> conditions,
                                                            std::span<const std::uint16_t> sizes, std::uint64_t& spent)
{
    std::vector<level> levels(order.size());
    core::plain_vector<std::uint16_t> row(sizes.size(), 0), tuple(order.size());
    core::plain_vector<std::size_t> known, kept;  // variables that make the states of this level, and of the next
    core::plain_vector<const open_condition*> decisive;
    interned states(0);
    states.add(tuple.data());  // the one empty tuple
    for (std::size_t k = 0; k < order.size(); ++k) {
        const std::size_t variable = order[k];
        const std::uint32_t values = sizes[variable];
        const auto bound = order.first(k + 1);
        const core::plain_vector<char> asked = awaited(bound, conditions, sizes.size());
        kept.clear();
        for (const std::size_t v : bound)
            if (asked[v] != 0) push(kept, v);
        decisive.clear();  // those that `variable` is the last of
        for (const open_condition& c : conditions) {
            bool decided = among(c.scope, variable);
            for (const std::size_t v : c.scope) decided = decided && among(bound, v);
            if (decided) push(decisive, &c);
        }
        interned next(kept.size());
        level& here = levels[k];
        for (std::uint32_t s = 0; s < states.size(); ++s) {
            const std::size_t before = here.value.size();
            push(here.first, static_cast<std::uint32_t>(before));
            for (std::size_t i = 0; i < known.size(); ++i) row[known[i]] = states[s][i];
            for (std::uint32_t v = 0; v < values; ++v) {
                row[variable] = static_cast<std::uint16_t>(v);
                if (!fulfils(row.data(), decisive)) continue;
                for (std::size_t i = 0; i < kept.size(); ++i) tuple[i] = row[kept[i]];
                push(here.value, row[variable]);
                push(here.target, next.add(tuple.data()));
            }
            spent += values + 8 * (here.value.size() - before);
            if (spent > most_combinations) throw too_costly();
        }
        push(here.first, static_cast<std::uint32_t>(here.value.size()));
        states = std::move(next);
        known.swap(kept);
    }
    return levels;
}

}  // namespace tunekit::space::detail
