// SPDX-License-Identifier: MIT
// Draws from every kind of space against the uniform distribution.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/chi_squared.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/space/permutation.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/space/split.hpp"
#include "tunekit/space/value_product.hpp"

namespace tk = tunekit;
namespace sp = tunekit::space;

namespace {

/// 40 draws per member on average.
void check_uniform(const sp::detail::grid& space, std::uint64_t seed)
{
    tk::random::philox gen(seed);
    std::vector<std::uint64_t> counts(space.size());
    for (const tk::index i : space.sample(40 * space.size(), gen)) ++counts[i];
    CHECK(support::chi_squared(counts) < support::chi_squared_limit(counts.size()));
}

/// 100 random neighbours per neighbour of each of some members; every one must be in the list.
void check_neighbours(const sp::detail::grid& space, sp::neighbourhood kind, std::uint64_t seed)
{
    tk::random::philox gen(seed);
    for (const tk::index i : space.sample(3, gen)) {
        const std::vector<tk::index> all = space.neighbours_of(i, kind);
        const std::vector<tk::index> in(100 * all.size(), i);
        std::vector<tk::index> out(in.size());
        space.neighbours(in, out, kind, gen);
        std::vector<std::uint64_t> counts(all.size());
        std::size_t strangers = 0;
        for (const tk::index o : out) {
            const auto at = std::lower_bound(all.begin(), all.end(), o);
            if (at == all.end() || *at != o) ++strangers;
            else ++counts[static_cast<std::size_t>(at - all.begin())];
        }
        CHECK(strangers == 0);
        if (counts.size() > 1) CHECK(support::chi_squared(counts) < support::chi_squared_limit(counts.size()));
    }
}

auto unconstrained()
{
    return sp::product{sp::parameter<"a">({3, 1, 2}), sp::boolean<"b">(), sp::split<"t">(24, 3),
                       sp::permutation<"o">({1, 2, 3})};
}

auto filtered()
{
    return sp::product{sp::integers<"a">(1, 30), sp::boolean<"b">(), sp::where<"a">([](int a) { return a % 3 != 0; })};
}

auto linked()
{
    return sp::product{sp::integers<"a">(1, 24),
                       sp::parameter<"free">({"x", "y", "z"}),
                       sp::integers<"b">(1, 24),
                       sp::integers<"c">(1, 12),
                       sp::where<"a", "b">([](int a, int b) { return a % b == 0; }),
                       sp::where<"b", "c">([](int b, int c) { return b * c <= 30; })};
}

auto groups()
{
    return sp::product{sp::integers<"a">(1, 9),
                       sp::integers<"b">(1, 9),
                       sp::integers<"c">(1, 9),
                       sp::integers<"d">(1, 9),
                       sp::where<"a", "c">([](int a, int c) { return a < c; }),
                       sp::where<"d", "b">([](int d, int b) { return d * b % 4 == 0; })};
}

auto tilings()
{
    return sp::product{sp::split<"y">(36, 3), sp::split<"x">(36, 3), sp::permutation<"o">({'a', 'b', 'c'}),
                       sp::where<"y", "x">([](const std::vector<int>& y, const std::vector<int>& x) {
                           return y[2] * x[2] <= 12 && y[1] >= x[1];
                       }),
                       sp::where<"o">([](const std::vector<char>& o) { return o[0] != 'c'; })};
}

auto conditional()
{
    return sp::product{sp::parameter<"algorithm">({0, 1, 2}), sp::integers<"tile">(1, 20), sp::boolean<"fuse">(),
                       sp::active_if<"tile", "algorithm">([](int a) { return a != 0; }),
                       sp::active_if<"fuse", "tile">([](int t) { return t > 5; })};
}

sp::value_product textual()
{
    return {{{"a", {1, 2, 4, 8, 16, 32}}, {"b", {1, 2, 4, 8, 16, 32}}, {"c", {0, 1}}},
            {"8 <= a * b <= 128", "c == 0 or a > b"}};
}

/// One member in 10 000 of the raw product, so that random neighbours fall back on the list.
auto sparse()
{
    return sp::product{sp::integers<"a">(0, 99), sp::integers<"b">(0, 99), sp::integers<"c">(0, 99),
                       sp::where<"a", "b", "c">([](int a, int b, int c) { return b == a && (c == a || c == 99 - a); })};
}

constexpr sp::neighbourhood kinds[] = {sp::neighbourhood::any_value, sp::neighbourhood::adjacent,
                                       sp::neighbourhood::hamming_2, sp::neighbourhood::swap};

}  // namespace

TEST_CASE("samples are uniform over the valid set of every kind of space: chi-squared, p(false alarm) <= 1e-6 each")
{
    check_uniform(unconstrained(), 1);
    check_uniform(filtered(), 2);
    check_uniform(linked(), 3);
    check_uniform(groups(), 4);
    check_uniform(tilings(), 5);
    check_uniform(conditional(), 6);
    check_uniform(textual(), 7);
    check_uniform(sparse(), 8);
}

TEST_CASE("a random neighbour is uniform over the neighbours, of every kind: chi-squared, p(false alarm) <= 1e-6 each")
{
    std::uint64_t seed = 100;
    for (const auto kind : kinds) {
        check_neighbours(unconstrained(), kind, ++seed);
        check_neighbours(filtered(), kind, ++seed);
        check_neighbours(linked(), kind, ++seed);
        check_neighbours(groups(), kind, ++seed);
        check_neighbours(tilings(), kind, ++seed);
        check_neighbours(conditional(), kind, ++seed);
        check_neighbours(textual(), kind, ++seed);
    }
    check_neighbours(sparse(), sp::neighbourhood::any_value, ++seed);
}

TEST_CASE("a member without neighbours is its own")
{
    const sp::product one{sp::parameter<"a">({7})};
    const sp::product pair{sp::integers<"a">(0, 50), sp::integers<"b">(0, 50),
                           sp::where<"a", "b">([](int a, int b) { return a == b; })};
    tk::random::philox gen(9);
    for (const auto kind : kinds) {
        tk::index i = 0;
        one.neighbours({&i, 1}, {&i, 1}, kind, gen);
        CHECK(i == 0);
        CHECK(one.neighbours_of(0, kind).empty());
        if (kind == sp::neighbourhood::hamming_2) continue;
        i = 13;
        pair.neighbours({&i, 1}, {&i, 1}, kind, gen);
        CHECK(i == 13);
        CHECK(pair.neighbours_of(13, kind).empty());
    }
    CHECK(pair.neighbours_of(13, sp::neighbourhood::hamming_2).size() == 50);
}
