// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The counter-based generator that every stream of tunekit is made of.

#include <array>
#include <cstdint>
#include <utility>

#include "tunekit/random/generator.hpp"

namespace tunekit::random {

/// Philox4x32-10: the i-th block of 128 bits is a keyed bijection of the counter i, so that any number of streams
/// exist without a seed sequence and none depends on how often another was drawn from.
///
///     random::philox gen{42};
///
/// State:  a 64-bit key, a 128-bit counter, at most one unread half block. A regular value: copies replay.
/// Cost:   ten rounds of two 32 x 32 multiplications for two draws.
/// Source: Salmon, Moraes, Dror, Shaw (2011), Parallel Random Numbers: As Easy as 1, 2, 3, SC'11; Random123's vectors.
class philox {
public:
    using result_type = std::uint64_t;
    using block = std::array<std::uint32_t, 4>;

    constexpr philox() = default;

    /// The stream of `key` that starts at counter 0.
    constexpr explicit philox(std::uint64_t key) : philox(key, block{}) {}

    /// The stream of `key` that starts at `counter`, least significant word first.
    constexpr philox(std::uint64_t key, const block& counter) : key_(key), counter_(counter) {}

    static constexpr result_type(min)() { return 0; }
    static constexpr result_type(max)() { return ~result_type{0}; }

    constexpr result_type operator()()
    {
        if (half_left_) {
            half_left_ = false;
            return std::exchange(half_, 0);  // equal positions compare equal
        }
        const block x = encrypt(counter_, key_);
        for (auto& word : counter_)
            if (++word != 0) break;
        half_ = std::uint64_t{x[3]} << 32 | x[2];
        half_left_ = true;
        return std::uint64_t{x[1]} << 32 | x[0];
    }

    /// The bijection itself: ten rounds of Philox4x32 under `key`.
    [[nodiscard]] static constexpr block encrypt(block x, std::uint64_t key)
    {
        auto k0 = static_cast<std::uint32_t>(key);
        auto k1 = static_cast<std::uint32_t>(key >> 32);
        for (int round = 0; round < 10; ++round) {
            const std::uint64_t p0 = std::uint64_t{0xD2511F53} * x[0];
            const std::uint64_t p1 = std::uint64_t{0xCD9E8D57} * x[2];
            x = {static_cast<std::uint32_t>(p1 >> 32) ^ x[1] ^ k0, static_cast<std::uint32_t>(p1),
                 static_cast<std::uint32_t>(p0 >> 32) ^ x[3] ^ k1, static_cast<std::uint32_t>(p0)};
            k0 += 0x9E3779B9U;  // the golden ratio and sqrt(3) - 1: the Weyl sequence of the key schedule
            k1 += 0xBB67AE85U;
        }
        return x;
    }

    friend constexpr bool operator==(const philox&, const philox&) = default;

private:
    std::uint64_t key_ = 0;
    block counter_{};
    std::uint64_t half_ = 0;
    bool half_left_ = false;
};

/// The stream of unit of work `i` of `purpose` under `seed`: the same draws on one core or forty.
/// Distinct (purpose, i) never overlap within 2^33 draws of one stream.
[[nodiscard]] constexpr philox stream(std::uint64_t seed, std::uint32_t purpose, std::uint64_t i)
{
    return philox(seed, {0, purpose, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i >> 32)});
}

}  // namespace tunekit::random
