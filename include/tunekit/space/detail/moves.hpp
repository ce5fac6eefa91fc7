// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Steps from one row of a numbering to another.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/space/detail/axis.hpp"
#include "tunekit/space/detail/numbering.hpp"

namespace tunekit::space::detail {

/// The ways from a row to another of the raw product, by kind of neighbourhood and parameter. `rows` are those of the
/// grid that the moves were made for.
class moves {
public:
    /// Adds a parameter.
    void add(const axis& a);

    /// How many ways there are from any row; of two parameters, how many there are for each.
    [[nodiscard]] std::uint64_t count(neighbourhood kind) const noexcept { return sums_of(kind).back(); }

    /// Where way `r` leads from row `i`, whose ordinals are `row`: with way `s` of another parameter, where the kind
    /// asks for two. `nowhere` where that is no member. Equal numbers of ways lead to each candidate.
    [[nodiscard]] index step(const numbering& rows, index i, std::uint16_t* row, neighbourhood kind, std::uint64_t r,
                             std::uint64_t s) const;

    /// Where way `r` to another value leads from row `i`, if it is that of a parameter that no condition links; else
    /// `nowhere`. As `step`, without the ordinals.
    [[nodiscard]] index free_step(const numbering& rows, index i, std::uint64_t r) const
    {
        if (r >= owners_.size()) {
            const std::size_t j = pick(neighbourhood::any_value, r);
            return rows.advanced(i, j, r + 1);
        }
        const std::size_t j = owners_[r];
        return rows.advanced(i, j, r + 1 - (j > 0 ? others_[j - 1] : 0));
    }

    /// All neighbours of row `i`, ascending, without `i`.
    [[nodiscard]] std::vector<index> all(const numbering& rows, index i, neighbourhood kind) const;

private:
    struct parameter {
        std::size_t values = 0;      // how many it has
        std::size_t trades = 0;      // pairs
        std::size_t first_swap = 0;  // of its own in `swapped_`
    };

    /// Running sums of the parameters' ways, up to and with each.
    [[nodiscard]] const core::plain_vector<std::uint64_t>& sums_of(neighbourhood kind) const noexcept
    {
        return kind == neighbourhood::adjacent ? steps_ : kind == neighbourhood::swap ? trades_ : others_;
    }

    /// The parameter within whose share of the ways `r` falls; `r` becomes its place in that share.
    [[nodiscard]] std::size_t pick(neighbourhood kind, std::uint64_t& r) const;

    /// Another ordinal of parameter `j`, the `r`-th after the present one.
    [[nodiscard]] change other(const std::uint16_t* row, std::size_t j, std::uint64_t r) const
    {
        const std::uint64_t to = row[j] + 1 + r, n = parameters_[j].values;  // to < 2 n
        return {j, static_cast<std::uint16_t>(to < n ? to : to - n)};
    }

    [[nodiscard]] index traded(const numbering& rows, index i, std::uint16_t* row, std::size_t j,
                               std::uint64_t p) const;

    /// Shell's sort: what is sorted is short, and std::sort is the most expensive line to compile in a space.
    static void sort(std::vector<index>& x);

    static constexpr std::size_t most_owners = 4096;

    core::plain_vector<parameter> parameters_;
    core::plain_vector<std::uint32_t>
        owners_;  // the parameters of the first ways to another value, `most_owners` at most
    core::plain_vector<std::uint64_t> others_;   // ways to another value
    core::plain_vector<std::uint64_t> steps_;    // 2 where there is more than one value
    core::plain_vector<std::uint64_t> trades_;   // pairs
    core::plain_vector<std::uint16_t> swapped_;  // values x pairs of each parameter, one after another
};

}  // namespace tunekit::space::detail

#if TUNEKIT_BODIES
namespace tunekit::space::detail {

TUNEKIT_INLINE void moves::add(const axis& a)
{
    const std::size_t n = a.texts.size();
    const auto sum = [](core::plain_vector<std::uint64_t>& of, std::size_t more) {
        of.push_back((of.empty() ? 0 : of.back()) + more);
    };
    sum(others_, n - 1);
    const auto owned = static_cast<std::size_t>((std::min)(others_.back(), std::uint64_t{most_owners}));
    owners_.resize(owned, static_cast<std::uint32_t>(parameters_.size()));
    sum(steps_, n > 1 ? 2 : 0);
    sum(trades_, a.pairs);
    parameters_.push_back({n, a.pairs, swapped_.size()});
    swapped_.append(a.swapped);
}

TUNEKIT_INLINE index moves::step(const numbering& rows, index i, std::uint16_t* row, neighbourhood kind,
                                 std::uint64_t r, std::uint64_t s) const
{
    const std::size_t j = pick(kind, r);
    switch (kind) {
        case neighbourhood::any_value:
            return rows.changed(i, row, other(row, j, r));
        case neighbourhood::adjacent:
            if (r == 0 ? row[j] + std::size_t{1} == parameters_[j].values : row[j] == 0) return nowhere;
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
    core::plain_vector<std::uint16_t> row(parameters_.size());
    rows.row(i, row.data());
    std::vector<index> out;
    const auto keep = [&](index found) {
        if (found != nowhere) out.push_back(found);
    };
    for (std::size_t j = 0; j < parameters_.size(); ++j) {
        const std::size_t n = parameters_[j].values;
        if (kind == neighbourhood::any_value)
            for (std::size_t r = 0; r + 1 < n; ++r) keep(rows.changed(i, row.data(), other(row.data(), j, r)));
        if (kind == neighbourhood::adjacent) {
            if (row[j] > 0) keep(rows.changed(i, row.data(), {j, static_cast<std::uint16_t>(row[j] - 1)}));
            if (row[j] + std::size_t{1} < n)
                keep(rows.changed(i, row.data(), {j, static_cast<std::uint16_t>(row[j] + 1)}));
        }
        if (kind == neighbourhood::swap)
            for (std::size_t p = 0; p < parameters_[j].trades; ++p) keep(traded(rows, i, row.data(), j, p));
        if (kind != neighbourhood::hamming_2) continue;
        for (std::size_t r = 0; r + 1 < n; ++r)
            for (std::size_t k = j + 1; k < parameters_.size(); ++k)
                for (std::size_t s = 0; s + 1 < parameters_[k].values; ++s)
                    keep(rows.changed(i, row.data(), other(row.data(), j, r), other(row.data(), k, s)));
    }
    sort(out);
    return out;
}

TUNEKIT_INLINE std::size_t moves::pick(neighbourhood kind, std::uint64_t& r) const
{
    const core::plain_vector<std::uint64_t>& sums = sums_of(kind);
    std::size_t low = 0;
    for (const std::uint64_t sum : sums) low += sum <= r ? 1 : 0;  // no search: its branches would be guesses
    if (low > 0) r -= sums[low - 1];
    return low;
}

TUNEKIT_INLINE index moves::traded(const numbering& rows, index i, std::uint16_t* row, std::size_t j,
                                   std::uint64_t p) const
{
    const std::uint16_t to = swapped_[parameters_[j].first_swap + row[j] * parameters_[j].trades + p];
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
