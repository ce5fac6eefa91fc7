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
