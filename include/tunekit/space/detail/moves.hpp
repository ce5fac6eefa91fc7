// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Steps from one row of a numbering to another.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/space/detail/axis.hpp"
#include "tunekit/space/detail/numbering.hpp"

namespace tunekit::space::detail {

/// The ways from a row to another of the raw product, by kind of neighbourhood and parameter. `rows` are those of the grid that
/// the moves were made for.
class moves {
public:
    /// Adds a parameter.
    void add(const axis& a);

    /// How many ways there are from any row; of two parameters, how many there are for each.
    [[nodiscard]] std::uint64_t count(neighbourhood kind) const noexcept { return ways_.back().*sum_of(kind); }

    /// Where way `r` leads from row `i`, whose ordinals are `row`: with way `s` of another parameter, where the kind asks for two.
    /// `nowhere` where that is no member. Equal numbers of ways lead to each candidate.
    [[nodiscard]] index step(const numbering& rows, index i, std::uint16_t* row, neighbourhood kind, std::uint64_t r,
                             std::uint64_t s) const;

    /// All neighbours of row `i`, ascending, without `i`.
    [[nodiscard]] std::vector<index> all(const numbering& rows, index i, neighbourhood kind) const;

private:
    /// One parameter: running sums of its ways, up to and with it.
    struct way {
        std::uint64_t values = 0;  // other values
        std::uint64_t steps = 0;   // 2 where there is more than one value
        std::uint64_t trades = 0;  // pairs
        std::size_t values_of = 0;
        std::size_t first_swap = 0;  // of its own in `swapped_`
    };

    [[nodiscard]] static std::uint64_t way::* sum_of(neighbourhood kind) noexcept
    {
        return kind == neighbourhood::adjacent ? &way::steps
               : kind == neighbourhood::swap   ? &way::trades
                                               : &way::values;
    }

    [[nodiscard]] std::size_t trades_of(std::size_t j) const noexcept
    {
        return static_cast<std::size_t>(ways_[j].trades - (j == 0 ? 0 : ways_[j - 1].trades));
    }

    /// The parameter within whose share of the ways `r` falls; `r` becomes its place in that share.
    [[nodiscard]] std::size_t pick(neighbourhood kind, std::uint64_t& r) const;

    /// Another ordinal of parameter `j`, the `r`-th after the present one.
    [[nodiscard]] change other(const std::uint16_t* row, std::size_t j, std::uint64_t r) const
    {
        return {j, static_cast<std::uint16_t>((row[j] + 1 + r) % ways_[j].values_of)};
    }

    [[nodiscard]] index traded(const numbering& rows, index i, std::uint16_t* row, std::size_t j,
                               std::uint64_t p) const;

    /// Shell's sort: what is sorted is short, and std::sort is the most expensive line to compile in a space.
    static void sort(std::vector<index>& x);

    std::vector<way> ways_;
    std::vector<std::uint16_t> swapped_;  // values x pairs of each parameter, one after another
};

}  // namespace tunekit::space::detail

#if TUNEKIT_BODIES
namespace tunekit::space::detail {

TUNEKIT_INLINE void moves::add(const axis& a)
{
    const std::size_t n = a.texts.size();
    const way last = ways_.empty() ? way{} : ways_.back();
    ways_.push_back({last.values + n - 1, last.steps + (n > 1 ? 2 : 0), last.trades + a.pairs, n, swapped_.size()});
    swapped_.insert(swapped_.end(), a.swapped.begin(), a.swapped.end());
}

TUNEKIT_INLINE index moves::step(const numbering& rows, index i, std::uint16_t* row, neighbourhood kind,
                                 std::uint64_t r, std::uint64_t s) const
{
    const std::size_t j = pick(kind, r);
    switch (kind) {
        case neighbourhood::any_value:
            return rows.changed(i, row, other(row, j, r));
        case neighbourhood::adjacent:
            if (r == 0 ? row[j] + std::size_t{1} == ways_[j].values_of : row[j] == 0) return nowhere;
            return rows.changed(i, row, {j, static_cast<std::uint16_t>(r == 0 ? row[j] + 1 : row[j] - 1)});
        case neighbourhood::hamming_2: {
            const std::size_t k = pick(kind, s);
            return k == j ? nowhere : rows.changed(i, row, other(row, j, r), other(row, k, s));
        }
        case neighbourhood::swap:
            break;
    }
    return traded(rows, i, row, j, r);
}

TUNEKIT_INLINE std::vector<index> moves::all(const numbering& rows, index i, neighbourhood kind) const
{
    std::vector<std::uint16_t> row(ways_.size());
    rows.row(i, row.data());
    std::vector<index> out;
    const auto keep = [&](index found) {
        if (found != nowhere) out.push_back(found);
    };
    for (std::size_t j = 0; j < ways_.size(); ++j) {
        const std::size_t n = ways_[j].values_of;
        if (kind == neighbourhood::any_value)
            for (std::size_t r = 0; r + 1 < n; ++r) keep(rows.changed(i, row.data(), other(row.data(), j, r)));
        if (kind == neighbourhood::adjacent) {
            if (row[j] > 0) keep(rows.changed(i, row.data(), {j, static_cast<std::uint16_t>(row[j] - 1)}));
            if (row[j] + std::size_t{1} < n)
                keep(rows.changed(i, row.data(), {j, static_cast<std::uint16_t>(row[j] + 1)}));
        }
        if (kind == neighbourhood::swap)
            for (std::size_t p = 0; p < trades_of(j); ++p) keep(traded(rows, i, row.data(), j, p));
        if (kind != neighbourhood::hamming_2) continue;
        for (std::size_t r = 0; r + 1 < n; ++r)
            for (std::size_t k = j + 1; k < ways_.size(); ++k)
                for (std::size_t s = 0; s + 1 < ways_[k].values_of; ++s)
                    keep(rows.changed(i, row.data(), other(row.data(), j, r), other(row.data(), k, s)));
    }
    sort(out);
    return out;
}

TUNEKIT_INLINE std::size_t moves::pick(neighbourhood kind, std::uint64_t& r) const
{
    std::uint64_t way::* const sum = sum_of(kind);
    std::size_t low = 0;
    for (std::size_t n = ways_.size(); n > 0;) {
        const std::size_t half = n / 2;
        if (ways_[low + half].*sum <= r) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    if (low > 0) r -= ways_[low - 1].*sum;
    return low;
}

TUNEKIT_INLINE index moves::traded(const numbering& rows, index i, std::uint16_t* row, std::size_t j,
                                   std::uint64_t p) const
{
    const std::uint16_t to = swapped_[ways_[j].first_swap + row[j] * trades_of(j) + p];
    return to == row[j] ? nowhere : rows.changed(i, row, {j, to});
}

TUNEKIT_INLINE void moves::sort(std::vector<index>& x)
{
    std::size_t gap = 1;
    while (gap < x.size() / 3) gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (std::size_t i = gap; i < x.size(); ++i) {
            const index moving = x[i];
            std::size_t to = i;
            for (; to >= gap && x[to - gap] > moving; to -= gap) x[to] = x[to - gap];
            x[to] = moving;
        }
}

}  // namespace tunekit::space::detail
#endif  // TUNEKIT_BODIES
