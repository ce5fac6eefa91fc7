// SPDX-License-Identifier: MIT
#include "tunekit/space/product.hpp"

#include <doctest/doctest.h>

#include <concepts>
#include <cstdint>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "tunekit/random/philox.hpp"
#include "tunekit/space/permutation.hpp"
#include "tunekit/space/split.hpp"

namespace tk = tunekit;
namespace sp = tunekit::space;

namespace {

enum class axis_name { m, n, k };

std::string to_text(axis_name a) { return a == axis_name::m ? "m" : a == axis_name::n ? "n" : "k"; }

auto design_space(int n)
{
    return sp::product{
        sp::parameter<"mr">({1, 2, 4, 6, 8, 14}),
        sp::parameter<"nv">({1, 2, 3, 4}),
        sp::powers_of_two<"kc">(16, 2048),
        sp::permutation<"order">({axis_name::m, axis_name::n, axis_name::k}),
        sp::split<"tile_n">(n, 3),
        sp::where<"mr", "nv">([](int mr, int nv) { return mr * nv + nv + 1 <= 34; }),
    };
}

using design = decltype(design_space(8));
static_assert(sp::search_space<design, tk::random::philox>);
static_assert(sp::typed<design>);
static_assert(std::regular<design::config>);

/// AutoTVM's direct convolution on CUDA, for a 1 x 1 kernel.
auto conv2d_cuda(int ci, int size, int co)
{
    return sp::product{
        sp::split<"tile_f">(co, 4),
        sp::split<"tile_y">(size, 4),
        sp::split<"tile_x">(size, 4),
        sp::split<"tile_rc">(ci, 2),
        sp::split<"tile_ry">(1, 2),
        sp::split<"tile_rx">(1, 2),
        sp::parameter<"auto_unroll_max_step">({0, 512, 1500}),
        sp::parameter<"unroll_explicit">({0, 1}),
    };
}

/// Every index of a sample comes back from its configuration, and every configuration differs from every other.
template <class Space>
void round_trip(const Space& space, std::size_t points)
{
    tk::random::philox gen(17);
    const auto drawn = space.sample(points, gen);
    std::size_t wrong = 0;
    for (const tk::index i : drawn) wrong += space.index_of(space.at(i)) != i;
    CHECK(wrong == 0);
    std::vector<std::uint16_t> rows(points * space.dimensions());
    space.ordinals(drawn, rows);
    for (std::size_t k = 0; k < points; ++k)
        wrong += space.index_of_ordinals({rows.data() + k * space.dimensions(), space.dimensions()}) != drawn[k];
    CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("the space of the design: size, texts, every configuration valid")
{
    const auto space = design_space(256);
    CHECK(space.size() == 21 * 8 * 6 * 45);  // 14x3, 14x4 and 8x4 do not fit
    CHECK(space.texts(0) == std::vector<std::string>{"1", "1", "16", "m n k", "256 1 1"});
    std::size_t wrong = 0;
    for (tk::index i = 0; i < space.size(); ++i) {
        const auto p = space.at(i);
        const int mr = tk::get<"mr">(p), nv = tk::get<"nv">(p);
        const std::vector<int>& tile = tk::get<"tile_n">(p);
        wrong += mr * nv + nv + 1 > 34 || tile[0] * tile[1] * tile[2] != 256 || space.index_of(p) != i;
    }
    CHECK(wrong == 0);
}

TEST_CASE("a configuration is found by its values, and not where a value or a constraint says no")
{
    const auto space = design_space(8);
    auto c = space.at(3);
    tk::get<"mr">(c) = 14;
    tk::get<"nv">(c) = 2;
    REQUIRE(space.index_of(c).has_value());
    CHECK(space.at(*space.index_of(c)) == c);
    tk::get<"nv">(c) = 4;
    CHECK_FALSE(space.index_of(c).has_value());  // 14 * 4 + 4 + 1 > 34
    tk::get<"nv">(c) = 7;
    CHECK_FALSE(space.index_of(c).has_value());  // no such value
}

TEST_CASE("index known answers: TVM's records of conv2d, Winograd and batch_matmul on CUDA")
{
    using split = std::vector<int>;
    const auto direct = conv2d_cuda(2048, 8, 192);
    CHECK(direct.size() == 9'676'800);
    const auto a = direct.at(8'797'896);
    CHECK(tk::get<"tile_f">(a) == split{6, 1, 32, 1});
    CHECK(tk::get<"tile_y">(a) == split{4, 1, 2, 1});
    CHECK(tk::get<"tile_x">(a) == split{1, 1, 8, 1});
    CHECK(tk::get<"tile_rc">(a) == split{64, 32});
    CHECK(tk::get<"tile_ry">(a) == split{1, 1});
    CHECK(tk::get<"auto_unroll_max_step">(a) == 1500);
    CHECK(tk::get<"unroll_explicit">(a) == 1);

    const auto b = conv2d_cuda(2048, 8, 448).at(734'204);
    CHECK(tk::get<"tile_f">(b) == split{28, 2, 8, 1});
    CHECK(tk::get<"tile_y">(b) == split{2, 2, 2, 1});
    CHECK(tk::get<"tile_x">(b) == split{1, 1, 8, 1});
    CHECK(tk::get<"tile_rc">(b) == split{64, 32});
    CHECK(tk::get<"auto_unroll_max_step">(b) == 0);
    CHECK(tk::get<"unroll_explicit">(b) == 0);

    const sp::product winograd{
        sp::split<"tile_b">(36, {{-1, 1, 1, 1}}),
        sp::split<"tile_y">(384, 4),
        sp::split<"tile_x">(4, 4),
        sp::split<"tile_rc">(448, 2),
        sp::parameter<"auto_unroll_max_step">({0, 128, 1500}),
        sp::parameter<"unroll_explicit">({0, 1}),
    };
    const auto c = winograd.at(232'980);
    CHECK(tk::get<"tile_b">(c) == split{36, 1, 1, 1});
    CHECK(tk::get<"tile_y">(c) == split{6, 1, 32, 2});
    CHECK(tk::get<"tile_x">(c) == split{1, 1, 4, 1});
    CHECK(tk::get<"tile_rc">(c) == split{28, 16});
    CHECK(tk::get<"auto_unroll_max_step">(c) == 0);
    CHECK(tk::get<"unroll_explicit">(c) == 1);

    const sp::product matmul{
        sp::split<"tile_y">(128, 3),
        sp::split<"tile_x">(128, 3),
        sp::split<"tile_k">(20, 2),
        sp::parameter<"auto_unroll_max_step">({8, 16, 32, 64}),
        sp::parameter<"unroll_explicit">({0, 1}),
    };
    const auto d = matmul.at(50'881);
    CHECK(tk::get<"tile_y">(d) == split{2, 32, 2});
    CHECK(tk::get<"tile_x">(d) == split{32, 2, 2});
    CHECK(tk::get<"tile_k">(d) == split{4, 5});
    CHECK(tk::get<"auto_unroll_max_step">(d) == 32);
    CHECK(tk::get<"unroll_explicit">(d) == 1);
}

TEST_CASE("gemm of 128 with two 2-way splits has 64 configurations")
{
    CHECK(sp::product{sp::split<"tile_y">(128, 2), sp::split<"tile_x">(128, 2)}.size() == 64);
}

TEST_CASE("100 000 random points of unconstrained and constrained spaces come back from their configurations")
{
    round_trip(conv2d_cuda(2048, 8, 448), 100'000);
    round_trip(design_space(224), 100'000);
    round_trip(sp::product{sp::integers<"a">(1, 300), sp::integers<"b">(1, 300), sp::integers<"c">(1, 300),
                           sp::where<"a", "b">([](int a, int b) { return a % b == 0; }),
                           sp::where<"b", "c">([](int b, int c) { return b <= c; })},
               100'000);
}

TEST_CASE("constraints of chained parameters count exactly and keep out nothing else")
{
    const sp::product space{sp::integers<"a">(1, 40),
                            sp::integers<"b">(1, 40),
                            sp::integers<"c">(1, 40),
                            sp::boolean<"free">(),
                            sp::where<"a", "b">([](int a, int b) { return a % b == 0; }),
                            sp::where<"c", "b">([](int c, int b) { return b <= c; })};
    tk::index expected = 0;
    for (int a = 1; a <= 40; ++a)
        for (int b = 1; b <= 40; ++b)
            for (int c = 1; c <= 40; ++c) expected += a % b == 0 && b <= c;
    CHECK(space.size() == 2 * expected);
}

TEST_CASE("an inactive parameter makes no configurations distinct")
{
    const sp::product space{
        sp::parameter<"algorithm">({"direct", "winograd"}),
        sp::parameter<"tile">({2, 4, 6}),
        sp::parameter<"layout">({0, 1}),
        sp::active_if<"tile", "algorithm">([](const std::string& a) { return a == "winograd"; }),
        sp::active_if<"layout", "algorithm", "tile">(
            [](const std::string& a, int tile) { return a == "winograd" && tile > 2; }),
    };
    CHECK(space.size() == 1 + 1 + 2 + 2);
    std::set<std::vector<std::string>> texts;
    for (tk::index i = 0; i < space.size(); ++i) texts.insert(space.texts(i));
    CHECK(texts == std::set<std::vector<std::string>>{{"direct", "2", "0"},
                                                      {"winograd", "2", "0"},
                                                      {"winograd", "4", "0"},
                                                      {"winograd", "4", "1"},
                                                      {"winograd", "6", "0"},
                                                      {"winograd", "6", "1"}});
}

TEST_CASE("features: numbers, ordinals, one-hot and signed logarithms, parameter by parameter")
{
    const sp::product space{sp::parameter<"x">({-3, 0, 7}), sp::split<"t">(8, 2), sp::parameter<"s">({"a", "b"})};
    auto c = space.at(0);
    tk::get<"x">(c) = -3;
    tk::get<"t">(c) = {1, 8};
    tk::get<"s">(c) = "b";
    const tk::index i = *space.index_of(c);
    const auto row = [&](sp::encoding e) {
        std::vector<float> out(space.feature_count(e), -99);
        space.features({&i, 1}, out, e);
        return out;
    };
    CHECK(row(sp::encoding::values) == std::vector<float>{-3, 1, 8, 1});
    CHECK(row(sp::encoding::ordinals) == std::vector<float>{0, 3, 1});
    CHECK(row(sp::encoding::one_hot) == std::vector<float>{1, 0, 0, 0, 0, 0, 1, 0, 1});
    const auto logs = row(sp::encoding::log2);
    REQUIRE(logs.size() == 4);
    CHECK(logs[0] == -2);
    CHECK(logs[1] == 1);
    CHECK(logs[2] == doctest::Approx(3.169925));
    CHECK(logs[3] == 1);
}

TEST_CASE("sizes are exact up to 2^63 and refused beyond")
{
    const auto wide = sp::integers<"a">(1, 32768).values;
    const std::vector<int> values(wide.begin(), wide.end());
    const sp::product big{sp::parameter<"a">(values), sp::parameter<"b">(values), sp::parameter<"c">(values),
                          sp::parameter<"d">(values), sp::parameter<"e">({1, 2, 3, 4, 5, 6, 7, 8})};
    CHECK(big.size() == tk::index{1} << 63);
    CHECK(big.index_of(big.at(big.size() - 1)) == big.size() - 1);
    CHECK_THROWS_WITH_AS((sp::product{sp::parameter<"a">(values), sp::parameter<"b">(values),
                                      sp::parameter<"c">(values), sp::parameter<"d">(values), sp::integers<"e">(1, 9)}),
                         "tunekit: space: has more than 2^63 configurations, want fewer parameters or values",
                         std::invalid_argument);
    const auto any = [](int, int) { return true; };
    CHECK_THROWS_AS((sp::product{sp::parameter<"a">(values), sp::parameter<"b">(values), sp::parameter<"c">(values),
                                 sp::parameter<"d">(values), sp::parameter<"e">({1, 2, 3, 4}),
                                 sp::parameter<"f">({1, 2, 3}), sp::where<"e", "f">(any)}),
                    std::invalid_argument);
}

TEST_CASE("constraints that leave nothing are named: one alone, or all that contradict each other")
{
    CHECK_THROWS_WITH_AS(
        (sp::product{sp::integers<"a">(1, 9), sp::integers<"b">(1, 9), sp::where<"a">([](int a) { return a > 5; }),
                     sp::where<"a", "b">([](int a, int b) { return a + b < 6; }),
                     sp::where<"b">([](int b) { return b < 3; })}),
        "tunekit: space: constraints where<a> (number 1), where<a, b> (number 2): leave nothing together, want some "
        "values "
        "that fulfil them all",
        std::invalid_argument);
    CHECK_THROWS_WITH_AS((sp::product{sp::integers<"a">(1, 9), sp::integers<"b">(1, 9),
                                      sp::where<"a", "b">([](int a, int b) { return a < b; }),
                                      sp::where<"a", "b">([](int a, int b) { return a + b < 12; }),
                                      sp::where<"a", "b">([](int a, int b) { return a > b; })}),
                         "tunekit: space: constraints where<a, b> (number 1), where<a, b> (number 3): leave nothing "
                         "together, want some values "
                         "that fulfil them all",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(
        (sp::product{sp::integers<"a">(1, 9), sp::integers<"b">(1, 9), sp::where<"b">([](int b) { return b != 2; }),
                     sp::where<"a", "b">([](int a, int) { return a > 9; })}),
        "tunekit: space: constraint where<a, b>: leaves nothing, want one that some values fulfil",
        std::invalid_argument);
    CHECK_THROWS_WITH_AS((sp::product{sp::parameter<"a">({1}), sp::where<"a">([](int a) { return a != 1; })}),
                         "tunekit: space: constraint where<a>: leaves nothing, want one that some values fulfil",
                         std::invalid_argument);
}

TEST_CASE("what a predicate throws arrives with the constraint's name")
{
    const auto space = [](int bad) {
        return sp::product{sp::integers<"a">(1, 9), sp::integers<"b">(1, bad),
                           sp::where<"b">([](int b) { return b > 0; }), sp::where<"a", "b">([](int a, int b) {
                               if (a == 3 && b == 4) throw std::out_of_range("a is 3");
                               return a != b;
                           })};
    };
    CHECK(space(3).size() == 24);
    CHECK_THROWS_WITH_AS(
        space(4),
        "tunekit: space: constraint where<a, b>: its predicate threw 'a is 3', want true or false for all "
        "values",
        std::invalid_argument);
    CHECK_THROWS_AS((sp::product{sp::integers<"a">(1, 9), sp::where<"a">([](int a) {
                                     if (a == 3) throw std::bad_alloc();
                                     return true;
                                 })}),
                    std::bad_alloc);
    CHECK_THROWS_AS((sp::product{sp::integers<"a">(1, 9), sp::where<"a">([](int a) {
                                     if (a == 3) throw 7;
                                     return true;
                                 })}),
                    int);
}

TEST_CASE("a configuration has a text")
{
    const sp::product space{sp::integers<"tile">(1, 3), sp::parameter<"algorithm">({"direct", "winograd"})};
    CHECK(space.text(0) == "tile = 1, algorithm = direct");
    CHECK(space.text(5) == "tile = 3, algorithm = winograd");
}

TEST_CASE("fingerprints differ where names, values or constraints do, and only there")
{
    const auto f = [](auto... parts) { return sp::product{parts...}.fingerprint(); };
    const auto a = sp::integers<"a">(1, 9);
    const auto b = sp::integers<"b">(1, 9);
    const std::set<std::uint64_t> all{
        f(a, b),
        f(b, a),
        f(a, sp::integers<"c">(1, 9)),
        f(a, sp::integers<"b">(0, 8)),
        f(a, b, sp::where<"a", "b">([](int x, int y) { return x <= y; })),
        f(a, b, sp::where<"a", "b">([](int x, int y) { return x >= y; })),
        f(a, b, sp::where<"a">([](int x) { return x > 1; })),
    };
    CHECK(all.size() == 7);
    CHECK(f(a, b) == f(sp::integers<"a">(1, 9), sp::integers<"b">(1, 9)));
}
