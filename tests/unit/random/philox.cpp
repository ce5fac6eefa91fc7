// SPDX-License-Identifier: MIT
#include "tunekit/random/philox.hpp"

#include <doctest/doctest.h>

#include <array>

namespace tk = tunekit;
using tk::random::philox;

static_assert(tk::generator<philox>);
static_assert(std::regular<philox>);

// kat_vectors of Random123 1.14: "philox4x32 10".
TEST_CASE("philox agrees with the published vectors")
{
    using block = philox::block;
    CHECK(philox::encrypt(block{0, 0, 0, 0}, 0) == block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    CHECK(philox::encrypt(block{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, 0xffffffffffffffffU) ==
          block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    CHECK(philox::encrypt(block{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822U) ==
          block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("philox counts on past a word")
{
    philox gen(7, {0xffffffff, 0xffffffff, 4, 0});
    gen();
    gen();
    CHECK(gen == [] {
        philox next(7, {0, 0, 5, 0});
        return next;
    }());
}

TEST_CASE("philox gives its blocks in order, low half first, across refills and carries")
{
    for (const philox::block start :
         {philox::block{0, 0, 0, 0}, philox::block{0xfffffff3, 0xffffffff, 0xffffffff, 8},
          philox::block{0xfffffff0, 3, 0, 0}, philox::block{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}}) {
        philox gen(0x0123456789abcdef, start);
        philox::block counter = start;
        for (int i = 0; i < 50; ++i) {
            const auto x = philox::encrypt(counter, 0x0123456789abcdef);
            CHECK(gen() == (std::uint64_t{x[1]} << 32 | x[0]));
            CHECK(gen() == (std::uint64_t{x[3]} << 32 | x[2]));
            for (auto& word : counter)
                if (++word != 0) break;
        }
    }
}

TEST_CASE("philox at compile time is philox at run time")
{
    constexpr auto draws = [] {
        philox gen(11);
        std::array<std::uint64_t, 20> out{};
        for (auto& x : out) x = gen();
        return out;
    };
    constexpr auto compiled = draws();
    philox gen(11);
    for (const auto x : compiled) CHECK(gen() == x);
}

TEST_CASE("philox compares by position, not by how it got there")
{
    philox a(1), b(1, {3, 0, 0, 0});
    for (int i = 0; i < 6; ++i) a();
    CHECK((a == b));
    a();
    CHECK_FALSE((a == b));
    b();
    CHECK((a == b));
    philox later(1);
    for (int i = 0; i < 8; ++i) later();
    CHECK_FALSE((later == b));
    CHECK_FALSE((philox(2) == philox(1)));
}
