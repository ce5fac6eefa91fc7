// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Draws that moves share.

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "tunekit/core/detail/pack.hpp"
#include "tunekit/random/fill.hpp"
#include "tunekit/random/uniform.hpp"

namespace tunekit::mcmc::detail {

/// An index in [0, n) and, independent of it, a number in [0, 1).
struct index_and_fraction {
    std::size_t index = 0;
    double fraction = 0;
};

/// Both from the same 64 bits: the high word of n * bits is the index, the low word, uniform given the index up to n /
/// 2^64, the fraction. Precondition: n > 0. One `bits`, rarely more.
/// Source: Lemire (2019), ACM TOMACS 29, algorithm 5, whose remainder is used here.
template <generator G>
[[nodiscard, gnu::always_inline]] inline index_and_fraction pick(std::uint64_t n, G& gen)
{
    assert(n > 0);
    __extension__ using wide = unsigned __int128;
    wide m = wide{random::bits(gen)} * n;
    if (static_cast<std::uint64_t>(m) < n) {
        const std::uint64_t threshold = (0 - n) % n;
        while (static_cast<std::uint64_t>(m) < threshold) m = wide{random::bits(gen)} * n;
    }
    return {static_cast<std::size_t>(m >> 64), static_cast<double>(static_cast<std::uint64_t>(m) >> 11) * 0x1p-53};
}

/// `pick` for each place of both spans, at most 32, in their order: a pack at a time, where n fits 32 bits.
template <generator G>
void picks(std::uint64_t n, std::span<std::uint32_t> index, std::span<double> fraction, G& gen)
{
    using core::detail::pack_bits, core::detail::pack_size;
    constexpr std::size_t most = 32;
    assert(n > 0 && n <= 0xffffffffU && index.size() == fraction.size() && index.size() <= most);
    const std::size_t m = index.size();
    if (m > most) __builtin_unreachable();  // said to the compiler, too: g++ 12 warns of chosen[32] for AVX2
    std::uint64_t drawn[most], chosen[most], rest[most];
    for (std::size_t i = 0; i < m; ++i) drawn[i] = random::bits(gen);
    for (std::size_t i = m; i % pack_size != 0; ++i) drawn[i] = ~std::uint64_t{0};  // no draw to reject
    pack_bits unsure{};
    for (std::size_t i = 0; i < m; i += pack_size) {
        pack_bits low;
        core::detail::load(low, drawn + i);
        pack_bits high = low >> 32;
        random::detail::multiply_low(low, static_cast<std::uint32_t>(n));
        random::detail::multiply_low(high, static_cast<std::uint32_t>(n));
        high += low >> 32;
        const pack_bits below = high << 32 | (low & 0xffffffffU);  // and high >> 32 above it: the product
        unsure |= reinterpret_cast<pack_bits>(below < n);
        core::detail::store(rest + i, pack_bits{below >> 11});
        core::detail::store(chosen + i, pack_bits{high >> 32});
    }
    std::uint64_t any = 0;
    for (std::size_t lane = 0; lane < pack_size; ++lane) any |= unsure[lane];
    if (any != 0) {  // perhaps a draw to reject
        random::drawn_first<G> again{{drawn, m}, gen};
        for (std::size_t i = 0; i < m; ++i) {
            const index_and_fraction one = pick(n, again);
            chosen[i] = one.index;
            rest[i] = static_cast<std::uint64_t>(one.fraction * 0x1p53);
        }
    }
    for (std::size_t i = 0; i < m; ++i) {
        index[i] = static_cast<std::uint32_t>(chosen[i]);
        fraction[i] = random::detail::to_fraction(rest[i]);
    }
}

/// Shuffles until the first `m` places hold a uniform draw without replacement, in uniform order. Draws about m log2(n)
/// / 56 times: several indices come from one draw, exactly uniform by rejection of their product's remainder.
/// Source: Brackett-Rozinsky, Lemire (2024), Batched Ranged Random Integer Generation, Software: Practice and
/// Experience 55.
template <generator G>
void shuffle_front(std::span<std::uint32_t> order, std::size_t m, G& gen)
{
    __extension__ using wide = unsigned __int128;
    const std::size_t n = order.size();
    for (std::size_t i = 0; i < m;) {
        std::uint64_t product = n - i;  // of the ranges of the places [i, end)
        std::size_t end = i + 1;
        while (end < m && product <= (std::uint64_t{1} << 56) / (n - end)) product *= n - end++;
        std::size_t chosen[56];
        for (std::uint64_t rest = 0, least = 0;;) {
            rest = random::bits(gen);
            for (std::size_t k = i; k < end; ++k) {
                const wide x = wide{rest} * (n - k);
                chosen[k - i] = static_cast<std::size_t>(x >> 64);
                rest = static_cast<std::uint64_t>(x);
            }
            if (rest >= product) break;
            least = (0 - product) % product;  // 2^64 mod product
            if (rest >= least) break;
        }
        for (std::size_t k = i; k < end; ++k) std::swap(order[k], order[k + chosen[k - i]]);
        i = end;
    }
}

/// Divides the numbers below order.size() into two sets at random, one after the other in `order`, the first larger by
/// one where they are odd: a fair bit for each of n / 2 pairs says who goes where. Pairs change with `turn`, and so
/// does who is left over. Draws a word for every 128 numbers.
template <generator G>
void split_pairs(std::span<std::uint32_t> order, std::uint64_t turn, G& gen)
{
    const std::size_t n = order.size(), half = n / 2, second = n - half;
    const auto pairs = static_cast<std::uint32_t>(half),
               shift = static_cast<std::uint32_t>(half == 0 ? 0 : turn % half);
    for (std::size_t from = 0; from < half; from += 64) {
        const std::uint64_t word = random::bits(gen);
        const std::size_t end = half - from < 64 ? half : from + 64;
        for (std::size_t k = from; k < end; ++k) {
            const auto a = static_cast<std::uint32_t>(k), ahead = a + shift;
            const std::uint32_t b = pairs + (ahead < pairs ? ahead : ahead - pairs);
            // swaps them without a branch
            const std::uint32_t differ = (a ^ b) & (0U - static_cast<std::uint32_t>(word >> (k - from) & 1));
            order[k] = a ^ differ;
            order[second + k] = b ^ differ;
        }
    }
    if (second == half) return;
    order[half] = static_cast<std::uint32_t>(n - 1);
    for (std::uint32_t& k : order) k = static_cast<std::uint32_t>((k + turn % n) % n);
}

}  // namespace tunekit::mcmc::detail
