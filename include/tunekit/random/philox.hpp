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

#include "tunekit/core/lanes.hpp"
#include "tunekit/random/generator.hpp"

namespace tunekit::random {

namespace detail {

// Lanes of 64 bits whose low halves hold the words of Philox; the high halves are ignored.
using lanes = core::lanes<std::uint64_t>;
inline constexpr int lane_count = static_cast<int>(core::lane_count<std::uint64_t>);

/// Replaces each lane by the product of its low half with `m`. clang sees pmuludq in the mask; g++ 12 has to be told,
/// or it multiplies 64 by 64 bits at three times the price.
[[gnu::always_inline]] inline void multiply_low(lanes& x, std::uint32_t m)
{
#if defined(__x86_64__) && !defined(__clang__)
    using halves = core::lanes<int>;
    using signed_lanes = core::lanes<long long>;
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

/// The lanes of a and b in turn: the first half of them into `first`, the rest into `second`.
template <std::size_t... Lane>
[[gnu::always_inline]] inline void zip(const lanes& a, const lanes& b, lanes& first, lanes& second,
                                       std::index_sequence<Lane...>)
{
    constexpr std::size_t n = sizeof...(Lane);
    core::shuffle<(Lane / 2 + Lane % 2 * n)...>(a, b, first);
    core::shuffle<((n + Lane) / 2 + Lane % 2 * n)...>(a, b, second);
}

/// Some blocks at once, word by word.
struct philox_group {
    lanes x0, x1, x2, x3;

    [[gnu::always_inline]] inline void round(const lanes& k0, const lanes& k1)
    {
        multiply_low(x0, 0xD2511F53);
        multiply_low(x2, 0xCD9E8D57);
        const lanes p0 = x0;
        x0 = (x2 >> 32) ^ x1 ^ k0;
        x1 = x2;
        x2 = (p0 >> 32) ^ x3 ^ k1;
        x3 = p0;
    }

    /// Writes two draws for each lane.
    [[gnu::always_inline]] inline void store(std::uint64_t* out) const
    {
        lanes first, second;
        zip(x1 << 32 | (x0 & 0xffffffffU), x3 << 32 | (x2 & 0xffffffffU), first, second,
            std::make_index_sequence<static_cast<std::size_t>(lane_count)>());
        core::store(out, first);
        core::store(out + lane_count, second);
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
        if (!std::is_constant_evaluated()) {
            for (; out.size() - i >= bulk && !carries(bulk / 2); i += bulk) {
                refill_lanes<bulk / 2>(out.data() + i);
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
            const std::uint64_t p0 = std::uint64_t{0xD2511F53} * x[0];
            const std::uint64_t p1 = std::uint64_t{0xCD9E8D57} * x[2];
            x = {static_cast<std::uint32_t>(p1 >> 32) ^ x[1] ^ k0, static_cast<std::uint32_t>(p1),
                 static_cast<std::uint32_t>(p0 >> 32) ^ x[3] ^ k1, static_cast<std::uint32_t>(p0)};
            k0 += weyl_0;
            k1 += weyl_1;
        }
        return x;
    }

    /// Whether both generators will give the same draws for ever.
    friend constexpr bool operator==(const philox& a, const philox& b)
    {
        return a.key_ == b.key_ && a.position() == b.position();
    }

private:
    static constexpr int rounds = 10;
    static constexpr std::uint32_t weyl_0 = 0x9E3779B9;  // the golden ratio and sqrt(3) - 1: the key schedule
    static constexpr std::uint32_t weyl_1 = 0xBB67AE85;
    static constexpr std::uint32_t ahead = 16;  // draws computed together: 8 blocks
    static constexpr std::uint32_t bulk =
        detail::lane_count == 8 ? 64 : ahead;  // by `fill`: registers hold 4 groups of 8

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
            refill_lanes<ahead / 2>(out);
            low_ += ahead / 2;
        }
    }

    /// The same for `Blocks` counters that differ in their lowest word alone. Groups computed together hide each
    /// other's latency: two, or four where there are registers for them.
    template <std::uint32_t Blocks>
    void refill_lanes(std::uint64_t* out) const
    {
        using detail::lane_count;
        constexpr int groups = static_cast<int>(Blocks) / lane_count;
        constexpr int together = groups < 4 || lane_count < 8 ? (std::min)(groups, 2) : 4;
        detail::lanes lane{};
        for (int i = 0; i < lane_count; ++i) lane[i] = static_cast<std::uint64_t>(i);
        for (int first = 0; first < groups; first += together)
            encrypt_groups(lane + (low_ + static_cast<std::uint64_t>(first * lane_count)), out + 2 * first * lane_count,
                           std::make_index_sequence<static_cast<std::size_t>(together)>());
    }

    template <std::size_t... Group>
    [[gnu::always_inline]] inline void encrypt_groups(const detail::lanes& counter, std::uint64_t* out,
                                                      std::index_sequence<Group...>) const
    {
        constexpr auto apart = static_cast<std::uint64_t>(detail::lane_count);
        const detail::lanes zero{};
        detail::philox_group group[] = {
            {counter + Group * apart, zero + (low_ >> 32), zero + high_, zero + (high_ >> 32)}...};
        detail::lanes k0 = zero + key_;
        detail::lanes k1 = zero + (key_ >> 32);
        for (int round = 0; round < rounds; ++round) {
            (group[Group].round(k0, k1), ...);
            k0 += weyl_0;
            k1 += weyl_1;
        }
        (group[Group].store(out + 2 * Group * apart), ...);
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
