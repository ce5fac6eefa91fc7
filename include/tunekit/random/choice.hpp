// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Random choices: a position by weight, a shuffle, a sample without replacement.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/core/index_table.hpp"
#include "tunekit/random/uniform.hpp"

namespace tunekit::random {

/// Draws a position i of `weights` with probability weights[i] / sum. A position of weight 0 is never chosen.
/// Precondition: weights finite, >= 0, their sum finite and > 0.
/// Randomness: one `uniform_01`. Cost: O(n), the sum from left to right.
template <generator G>
[[nodiscard]] std::size_t choose(std::span<const double> weights, G& gen)
{
    double sum = 0;
    bool bad = false;
    std::size_t last = weights.size();  // the last one of positive weight: where rounding ends up
    for (std::size_t i = 0; i < weights.size(); ++i) {
        sum += weights[i];
        bad = bad || !(weights[i] >= 0);
        if (weights[i] > 0) last = i;
    }
    require(
        last < weights.size() && sum - sum == 0 && !bad,
        "random::choose: no weight is positive, or one is negative, NaN or infinite, want finite ones of 0 or more");
    const double u = uniform_01(gen) * sum;
    double below = 0;
    for (std::size_t i = 0; i < last; ++i) {
        below += weights[i];
        if (u < below) return i;
    }
    return last;
}

/// Draws one of the positions i < n for which `keep(i)` holds. All are equally likely. Precondition: it holds for at
/// least one.
/// Randomness: one `uniform_index`. Cost: O(n); `keep` is called at most twice for each i.
template <class Keep, generator G>
[[nodiscard]] constexpr std::size_t choose_where(std::size_t n, Keep&& keep, G& gen)
{
    std::uint64_t kept = 0;
    for (std::size_t i = 0; i < n; ++i) kept += keep(i) ? 1U : 0U;
    if (kept == 0) invalid("random::choose_where: nothing to choose from, want one at least");
    std::uint64_t skip = uniform_index(kept, gen);
    std::size_t i = 0;
    while (!keep(i) || skip-- > 0) ++i;
    return i;
}

/// Moves `k` members of `items`, drawn without replacement, in random order, to the front. The others follow in some
/// order.
/// Precondition: k <= items.size(). Randomness: one `uniform_index` per place, none where only one item is left.
/// Source: Durstenfeld (1964), Algorithm 235, CACM 7, stopped early.
template <class T, generator G>
constexpr void partial_shuffle(std::span<T> items, std::size_t k, G& gen)
{
    if (k > items.size()) invalid("random::partial_shuffle: fewer items than are wanted");
    for (std::size_t i = 0; i < k && i + 1 < items.size(); ++i) {
        const auto j = i + static_cast<std::size_t>(uniform_index(items.size() - i, gen));
        using std::swap;
        swap(items[i], items[j]);
    }
}

/// Puts `items` into a uniformly random order.
template <class T, generator G>
constexpr void shuffle(std::span<T> items, G& gen)
{
    partial_shuffle(items, items.size(), gen);
}

/// `shuffle` of a vector.
template <class T, generator G>
constexpr void shuffle(std::vector<T>& items, G& gen)
{
    shuffle(std::span<T>(items), gen);
}

/// Draws `k` distinct members of [0, n), uniformly, in random order. Precondition: k <= n.
/// Randomness: k `uniform_index`. Where k < n / 4, repeated numbers are drawn again: less than k / 3 more on average.
/// Cost: O(k) time and memory, whatever n.
template <generator G>
[[nodiscard]] std::vector<std::uint64_t> sample_without_replacement(std::uint64_t n, std::size_t k, G& gen)
{
    require(k <= n, "random::sample_without_replacement: fewer members than are wanted");
    std::vector<std::uint64_t> out;
    if (k >= n / 4) {
        out.resize(static_cast<std::size_t>(n));
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = i;
        partial_shuffle(std::span<std::uint64_t>(out), k, gen);
        out.resize(k);
        return out;
    }
    const auto hash = [](std::uint64_t x) { return x * 0x9E3779B97F4A7C15U; };
    core::index_table<std::uint64_t> seen;  // asked for membership only
    seen.reserve(k, hash);
    out.reserve(k);
    while (out.size() < k) {
        const std::uint64_t x = uniform_index(n, gen);
        seen.add(x, hash(x), [x](std::uint64_t other) { return other == x; }, hash);
        if (seen.size() > out.size()) out.push_back(x);
    }
    return out;
}

}  // namespace tunekit::random
