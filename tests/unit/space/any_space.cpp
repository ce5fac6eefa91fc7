// SPDX-License-Identifier: MIT
#include "tunekit/space/any_space.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tunekit/space/permutation.hpp"
#include "tunekit/space/product.hpp"

namespace tk = tunekit;
namespace sp = tunekit::space;

static_assert(sp::search_space<sp::any_space, tk::random::philox>);
static_assert(std::copyable<sp::any_space>);

namespace {

auto small_space()
{
    return sp::product{
        sp::integers<"a">(1, 12),
        sp::parameter<"kind">({"x", "y", "z"}),
        sp::permutation<"order">({1, 2, 3}),
        sp::integers<"b">(1, 12),
        sp::where<"a", "b">([](int a, int b) { return b % a == 0; }),
    };
}

}  // namespace

TEST_CASE("any_space answers as the space that it holds")
{
    const auto space = small_space();
    const sp::any_space erased = space;
    const sp::any_space copy = erased;
    CHECK(copy.size() == space.size());
    CHECK(copy.dimensions() == 4);
    CHECK(copy.text(7) == space.text(7));
    CHECK(copy.text(0).starts_with("a = "));
    CHECK(copy.fingerprint() == space.fingerprint());
    CHECK(std::vector<std::string>(copy.names().begin(), copy.names().end()) ==
          std::vector<std::string>{"a", "kind", "order", "b"});
    CHECK(std::vector<std::uint16_t>(copy.cardinalities().begin(), copy.cardinalities().end()) ==
          std::vector<std::uint16_t>{12, 3, 6, 12});

    tk::random::philox one(3), two(3);
    const auto drawn = space.sample(500, one);
    CHECK(copy.sample(500, two) == drawn);
    CHECK(one == two);
    for (const auto kind : {sp::neighbourhood::any_value, sp::neighbourhood::adjacent, sp::neighbourhood::hamming_2,
                            sp::neighbourhood::swap}) {
        std::vector<tk::index> a(500), b(500);
        space.neighbours(drawn, a, kind, one);
        copy.neighbours(drawn, b, kind, two);
        CHECK(a == b);
        CHECK(space.neighbours_of(drawn[0], kind) == copy.neighbours_of(drawn[0], kind));
    }
    std::vector<std::uint16_t> a(500 * 4), b(500 * 4);
    space.ordinals(drawn, a);
    copy.ordinals(drawn, b);
    CHECK(a == b);
    CHECK(copy.index_of_ordinals({a.data() + 4, 4}) == drawn[1]);
    CHECK(copy.texts(drawn[7]) == space.texts(drawn[7]));
    for (const auto e : {sp::encoding::values, sp::encoding::ordinals, sp::encoding::one_hot, sp::encoding::log2}) {
        std::vector<float> f(500 * space.feature_count(e)), g(500 * copy.feature_count(e));
        space.features(drawn, f, e);
        copy.features(drawn, g, e);
        CHECK(f == g);
    }
}

TEST_CASE("an assigned any_space is the other space")
{
    sp::any_space a = small_space();
    const sp::any_space b = sp::product{sp::boolean<"only">()};
    a = b;
    CHECK(a.size() == 2);
    CHECK(a.fingerprint() == b.fingerprint());
}
