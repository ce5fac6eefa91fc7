// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Philox, the counter-based generator of all of tunekit's streams.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "tunekit/core/detail/lanes.hpp"
#include "tunekit/random/generator.hpp"

namespace tunekit::random {

namespace detail {

// Lanes of 64 bits whose low halves hold the words of Philox; the high halves are ignored.
using lanes = core::detail::lanes<std::uint64_t>;
inline constexpr int lane_count = static_cast<int>(core::detail::lane_count<std::uint64_t>);

/// Replaces each lane by the product of its low half with `m`. clang sees pmuludq in the mask; g++ 12 has to be told,
/// or it multiplies 64 by 64 bits at three times the price.
[[gnu::always_inline]] inline void multiply_low(lanes& x, std::uint32_t m)
{
#if defined(__x86_64__) && !defined(__clang__)
    using halves = core::detail::lanes<int>;
    using signed_lanes = core::detail::lanes<long long>;
    const lanes factor = lanes{} + m;
    const auto a = reinterpret_cast<halves>(x), b = reinterpret_cast<halves>(factor);
    signed_lanes product;
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
    product = __builtin_ia32_pmuludq512_mask(a, b, signed_lanes{}, 0xff);
#elif defined(__AVX2__)
    product = __builtin_ia32_pmuludq256(a, b);
#else
    product = __builtin_ia32_pmuludq128(a, b);
#endif
    x = reinterpret_cast<lanes>(product);
#else
    x = (x & 0xffffffffU) * std::uint64_t{m};
#endif
}

using halves = core::detail::lanes<std::uint32_t>;

/// Replaces each lane by its halves the other way round.
template <std::size_t... Half>
[[gnu::always_inline]] inline void exchange_halves(lanes& x, std::index_sequence<Half...>)
{
    halves y = reinterpret_cast<halves>(x);
    core::detail::shuffle<(Half ^ 1U)...>(y, y, y);
    x = reinterpret_cast<lanes>(y);
}

/// The lanes of a and b in turn, from lane First on every second: none leaves its 128 bits, so it is one instruction.
template <std::size_t First, std::size_t... Lane>
[[gnu::always_inline]] inline void store_zipped(const lanes& a, const lanes& b, std::uint64_t* out,
                                                std::index_sequence<Lane...>)
{
    lanes zipped;
    core::detail::shuffle<(First + Lane / 2 * 2 + Lane % 2 * sizeof...(Lane))...>(a, b, zipped);
    core::detail::store(out, zipped);
}

/// What blocks have in common whose counters differ in the lowest word alone: their words after the first two rounds,
/// as far as they are the same, and the keys of the rest.
struct philox_schedule {
    static constexpr std::uint32_t factor_0 = 0xD2511F53, factor_1 = 0xCD9E8D57;
    static constexpr std::uint32_t weyl_0 = 0x9E3779B9;  // the golden ratio and sqrt(3) - 1
    static constexpr std::uint32_t weyl_1 = 0xBB67AE85;
    static constexpr int rounds = 10;

    std::uint64_t first = 0, second_0 = 0, second_2 = 0;  // what becomes words 2, 0 and 2 with a product of that round
    std::uint64_t key_0[rounds - 2] = {}, key_1[rounds - 2] = {};

    /// For words 1, 2 and 3 of the counter; the high halves of all members mean nothing.
    constexpr philox_schedule(std::uint64_t key, std::uint64_t word_1, std::uint64_t words_2_3)
    {
        std::uint64_t k0 = key, k1 = key >> 32;
        const std::uint64_t p1 = (words_2_3 & 0xffffffffU) * factor_1;
        const std::uint64_t p0 = (((p1 >> 32) ^ word_1 ^ k0) & 0xffffffffU) * factor_0;
        first = (words_2_3 >> 32) ^ k1;
        second_0 = p1 ^ (k0 += weyl_0);
        second_2 = (p0 >> 32) ^ (k1 += weyl_1);
        for (int round = 0; round < rounds - 2; ++round) {
            key_0[round] = k0 += weyl_0;
            key_1[round] = k1 += weyl_1;
        }
        key_1[0] ^= p0;  // word 3 after two rounds
    }
};

/// Some blocks at once, word by word.
struct philox_group {
    lanes x0, x1, x2, x3;

    /// The first two rounds of counters with these lowest words.
    [[gnu::always_inline]] inline philox_group(const lanes& counter, const philox_schedule& common)
        : x0(counter), x3(lanes{})
    {
        multiply_low(x0, philox_schedule::factor_0);
        x2 = (x0 >> 32) ^ common.first;
        multiply_low(x2, philox_schedule::factor_1);
        x1 = x2;
        x2 = x0 ^ common.second_2;
        x0 = (x1 >> 32) ^ common.second_0;
    }

    [[gnu::always_inline]] inline void round(std::uint64_t k0, std::uint64_t k1)
    {
        multiply_low(x0, philox_schedule::factor_0);
        multiply_low(x2, philox_schedule::factor_1);
        const lanes p0 = x0;
        x0 = (x2 >> 32) ^ x1 ^ k0;
        x1 = x2;
        x2 = (p0 >> 32) ^ x3 ^ k1;
        x3 = p0;
    }

    /// The last round. Writes two draws for each lane, of the even lanes first.
    [[gnu::always_inline]] inline void last_round(std::uint64_t k0, std::uint64_t k1, std::uint64_t* out)
    {
        constexpr std::make_index_sequence<core::detail::lane_count<std::uint64_t>> each{};
        constexpr std::make_index_sequence<core::detail::lane_count<std::uint32_t>> half{};
        multiply_low(x0, philox_schedule::factor_0);
        multiply_low(x2, philox_schedule::factor_1);
        exchange_halves(x0, half);
        exchange_halves(x2, half);
        x2 ^= (x1 ^ k0) & 0xffffffffU;
        x0 ^= (x3 ^ k1) & 0xffffffffU;
        store_zipped<0>(x2, x0, out, each);
        store_zipped<1>(x2, x0, out + lane_count, each);
    }
};

}  // namespace detail

/// Philox4x32-10, a counter-based generator. The i-th block of 128 bits is a keyed bijection of the counter i. So any
/// number of streams exist without a seed sequence. No stream depends on how many draws another one gave.
///
///     random::philox gen{42};
///
/// State:  a 64-bit key, a 128-bit counter and the unread part of the last 16 draws. These are computed together, as
///         many at a time as the machine has lanes. A regular value: a copy repeats the same draws, and equal positions
///         compare equal.
/// Cost:   160 bytes. A stream that gives one draw costs as much as one that gives 16, about twice as much as one
///         block.
/// Source: Salmon, Moraes, Dror, Shaw (2011), Parallel Random Numbers: As Easy as 1, 2, 3, SC'11; Random123's vectors.
class philox {
public:
    using result_type = std::uint64_t;           ///< the type of a draw
    using block = std::array<std::uint32_t, 4>;  ///< four words, least significant first

    constexpr philox() = default;

    /// Makes the stream of `key` that starts at counter 0.
    constexpr explicit philox(std::uint64_t key) : philox(key, block{}) {}

    /// Makes the stream of `key` that starts at `counter`, least significant word first.
    constexpr philox(std::uint64_t key, const block& counter)
        : key_(key),
          low_(std::uint64_t{counter[1]} << 32 | counter[0]),
          high_(std::uint64_t{counter[3]} << 32 | counter[2])
    {
    }

    /// the type of a draw
    static constexpr result_type(min)() { return 0; }
    /// the type of a draw
    static constexpr result_type(max)() { return ~result_type{0}; }

    /// The next draw.
    constexpr result_type operator()()
    {
        if (next_ == ahead) {
            refill(ahead_.data());
            next_ = 0;
        }
        return ahead_[next_++];
    }

    /// Fills `out` with the results of out.size() calls, and leaves the generator in the state after those calls.
    constexpr void fill(std::span<std::uint64_t> out)
    {
        std::size_t i = 0;
        while (i < out.size() && next_ != ahead) out[i++] = ahead_[next_++];
        if (!std::is_constant_evaluated() && out.size() - i >= bulk) {
            const detail::philox_schedule common(key_, low_ >> 32, high_);
            for (; out.size() - i >= bulk && !carries(bulk / 2); i += bulk) {
                refill_lanes<bulk / 2>(common, out.data() + i);
                low_ += bulk / 2;
            }
        }
        for (; out.size() - i >= ahead; i += ahead) refill(out.data() + i);
        while (i < out.size()) out[i++] = (*this)();
    }

    /// The bijection itself: ten rounds of Philox4x32 under `key`.
    [[nodiscard]] static constexpr block encrypt(block x, std::uint64_t key)
    {
        auto k0 = static_cast<std::uint32_t>(key);
        auto k1 = static_cast<std::uint32_t>(key >> 32);
        for (int round = 0; round < rounds; ++round) {
            const std::uint64_t p0 = std::uint64_t{detail::philox_schedule::factor_0} * x[0];
            const std::uint64_t p1 = std::uint64_t{detail::philox_schedule::factor_1} * x[2];
            x = {static_cast<std::uint32_t>(p1 >> 32) ^ x[1] ^ k0, static_cast<std::uint32_t>(p1),
                 static_cast<std::uint32_t>(p0 >> 32) ^ x[3] ^ k1, static_cast<std::uint32_t>(p0)};
            k0 += detail::philox_schedule::weyl_0;
            k1 += detail::philox_schedule::weyl_1;
        }
        return x;
    }

    /// Whether both generators will give the same draws for ever.
    friend constexpr bool operator==(const philox& a, const philox& b)
    {
        return a.key_ == b.key_ && a.position() == b.position();
    }

private:
    static constexpr int rounds = detail::philox_schedule::rounds;
    static constexpr std::uint32_t ahead = 16;                     // draws computed together: 8 blocks
    static constexpr std::uint32_t bulk = 8 * detail::lane_count;  // by `fill`: four groups

    /// Counter and half of the next draw.
    [[nodiscard]] constexpr std::array<std::uint64_t, 3> position() const
    {
        const std::uint64_t unread = (ahead - next_ + 1) / 2;  // blocks, the half read one too
        return {low_ - unread, high_ - (low_ < unread), (ahead - next_) % 2};
    }

    /// Whether the lowest word of the counter passes its end within `blocks`.
    [[nodiscard]] constexpr bool carries(std::uint32_t blocks) const
    {
        return static_cast<std::uint32_t>(low_) > 0xffffffffU - blocks;
    }

    /// Writes the next 16 draws and moves the counter past them.
    constexpr void refill(std::uint64_t* out)
    {
        if (std::is_constant_evaluated() || carries(ahead / 2)) {
            for (std::uint32_t i = 0; i < ahead; i += 2) {
                const block x = encrypt({static_cast<std::uint32_t>(low_), static_cast<std::uint32_t>(low_ >> 32),
                                         static_cast<std::uint32_t>(high_), static_cast<std::uint32_t>(high_ >> 32)},
                                        key_);
                out[i] = std::uint64_t{x[1]} << 32 | x[0];
                out[i + 1] = std::uint64_t{x[3]} << 32 | x[2];
                if (++low_ == 0) ++high_;
            }
        } else {
            refill_lanes<ahead / 2>({key_, low_ >> 32, high_}, out);
            low_ += ahead / 2;
        }
    }

    /// The same for `Blocks` counters that differ in their lowest word alone. Groups computed together hide each
    /// other's latency: four take 0.8 of the time of two with 16 registers, too, though some words then wait in memory.
    template <std::uint32_t Blocks>
    void refill_lanes(const detail::philox_schedule& common, std::uint64_t* out) const
    {
        using detail::lane_count;
        constexpr int groups = static_cast<int>(Blocks) / lane_count;
        constexpr int together = (std::min)(groups, 4);
        detail::lanes lane{};  // even lanes are written first
        for (int i = 0; i < lane_count; ++i) lane[i] = static_cast<std::uint64_t>(i / 2 + i % 2 * lane_count / 2);
        for (int first = 0; first < groups; first += together)
            encrypt_groups(lane + (low_ + static_cast<std::uint64_t>(first * lane_count)), common,
                           out + 2 * first * lane_count,
                           std::make_index_sequence<static_cast<std::size_t>(together)>());
    }

    template <std::size_t... Group>
    [[gnu::always_inline]] inline static void encrypt_groups(const detail::lanes& counter,
                                                             const detail::philox_schedule& common, std::uint64_t* out,
                                                             std::index_sequence<Group...>)
    {
        constexpr auto apart = static_cast<std::uint64_t>(detail::lane_count);
        detail::philox_group group[] = {detail::philox_group(counter + Group * apart, common)...};
        constexpr int last = rounds - 3;
        for (int round = 0; round < last; ++round) (group[Group].round(common.key_0[round], common.key_1[round]), ...);
        (group[Group].last_round(common.key_0[last], common.key_1[last], out + 2 * Group * apart), ...);
    }

    std::uint64_t key_ = 0;
    std::uint64_t low_ = 0;  // counter of the block after the last one computed
    std::uint64_t high_ = 0;
    std::uint32_t next_ = ahead;  // the next unread one of ahead_
    std::array<std::uint64_t, ahead> ahead_{};
};

/// The stream of unit of work `i` of `purpose` under `seed`. It has the same draws on one core and on forty. Streams of
/// distinct (purpose, i) never overlap within 2^33 draws of one stream.
[[nodiscard]] constexpr philox stream(std::uint64_t seed, std::uint32_t purpose, std::uint64_t i)
{
    return philox(seed, {0, purpose, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i >> 32)});
}

}  // namespace tunekit::random
