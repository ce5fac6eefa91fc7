// SPDX-License-Identifier: MIT
// Products in other formats than single precision, by plain code: small tiles for any machine. test_kernel_table has the machine's own.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "product_support.hpp"
#include "small_tables.hpp"

namespace tk = tunekit;
using namespace tk::kernels;

namespace {

/// Every product of small integers, which all formats hold exactly.
template <class F>
std::vector<double> integer_product(const gemm_config& config)
{
    // A is [[1, 2, 3], [4, 5, 6]], B is [[1, -1], [0, 2], [-3, 4]].
    const gemm_shape s{.m = 2, .n = 2, .k = 3};
    const auto as = []<class T>(double x, T) {
        if constexpr (std::is_same_v<T, bfloat16>) return bfloat16::nearest(static_cast<float>(x));
        else return static_cast<T>(x);
    };
    std::vector<typename F::left> a;
    std::vector<typename F::right> b;
    for (const double x : {1, 2, 3, 4, 5, 6}) a.push_back(as(x, typename F::left{}));
    for (const double x : {1, -1, 0, 2, -3, 4}) b.push_back(as(x, typename F::right{}));
    std::vector<typename F::sum> c(4);
    gemm_kernel<F>(s, config, small_table<F>()).run(a.data(), b.data(), c.data());
    return {c.begin(), c.end()};
}

}  // namespace

TEST_CASE_TEMPLATE("a product has the known answer", F, formats::fp64, formats::bf16, formats::u8s8)
{
    const std::vector<double> want{-8, 15, -14, 30};
    CHECK(integer_product<F>({.mr = 2, .nv = 1, .vl = 4, .mc = 2, .nc = 4, .kc = 4, .pack_b = true}) == want);
    CHECK(integer_product<F>({.mr = 1, .nv = 2, .vl = 4, .mc = 1, .nc = 8, .kc = 16, .pack_a = true, .pack_b = true}) ==
          want);
}

TEST_CASE_TEMPLATE(
    "products agree with the wide definition for every blocking, and touch nothing beside their matrices", F,
    formats::fp64, formats::bf16, formats::u8s8)
{
    check_products(small_table<F>(), 100);
}

TEST_CASE_TEMPLATE("a format's space holds its default, and the kernel accepts what the space holds", F, formats::fp64,
                   formats::bf16, formats::u8s8)
{
    tk::random::philox gen(23);
    product_table<F> table = small_table<F>();
    table.lanes = 4;
    for (const gemm_shape s : {gemm_shape{.m = 128, .n = 768, .k = 768},
                               {.batch = 12, .m = 128, .n = 128, .k = 64},
                               {.m = 1, .n = 50, .k = 33}}) {
        const auto space = gemm_space(s, table);
        const auto i = index_of(space, default_config(s, table));
        REQUIRE(i.has_value());
        CHECK(config_of<gemm_config>(space.at(*i)) == default_config(s, table));
        for (const tk::index j : space.sample(30, gen)) {
            const auto config = config_of<gemm_config>(space.at(j));
            CHECK((config.pack_b || F::group == 1));
            CHECK(gemm_kernel<F>(s, config, table).scratch_size() > 0);
        }
    }
}

TEST_CASE("leading dimensions of doubles leave what lies between the rows alone")
{
    const gemm_shape s{.batch = 2, .m = 3, .n = 5, .k = 4};
    const gemm_strides strides{.lda = 6, .ldb = 7, .ldc = 9, .batch_a = 20, .batch_b = 30, .batch_c = 40};
    std::vector<double> a(40), b(60), dense_a, dense_b;
    tk::random::philox gen(31);
    fill_randomly(std::span(a), gen);
    fill_randomly(std::span(b), gen);
    for (int i = 0; i < 2; ++i) {
        for (int r = 0; r < 3; ++r)
            dense_a.insert(dense_a.end(), a.begin() + i * 20 + r * 6, a.begin() + i * 20 + r * 6 + 4);
        for (int r = 0; r < 4; ++r)
            dense_b.insert(dense_b.end(), b.begin() + i * 30 + r * 7, b.begin() + i * 30 + r * 7 + 5);
    }
    const auto want = reference_gemm<formats::fp64>(s, dense_a, dense_b);
    for (int trial = 0; trial < 100; ++trial) {
        std::vector<double> c(80, 7.0);
        gemm_kernel<formats::fp64>(s, random_gemm_config(small_table<formats::fp64>(), gen),
                                   small_table<formats::fp64>(), strides)
            .run(a.data(), b.data(), c.data());
        for (int i = 0; i < 80; ++i) {
            const int r = i % 40 / 9, j = i % 40 % 9;
            const double expected = r < 3 && j < 5 ? want[static_cast<std::size_t>((i / 40 * 3 + r) * 5 + j)] : 7.0;
            REQUIRE(std::fabs(c[static_cast<std::size_t>(i)] - expected) < 1e-13);
        }
    }
}

TEST_CASE("bf16 sums are those of the instruction to the last bit") { check_bf16_bits(small_table<formats::bf16>()); }

TEST_CASE("sums of bytes do not saturate: they wrap around")
{
    // 4 x 255 x -128 and 4 x 255 x 127 in each step: outside 16 bits, where other instructions saturate.
    const gemm_shape s{.m = 1, .n = 2, .k = 80'000};
    std::vector<std::uint8_t> a(80'000, 255);
    std::vector<std::int8_t> b(160'000);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = i % 2 == 0 ? std::int8_t{-128} : std::int8_t{127};
    std::vector<std::int32_t> c(2);
    gemm_kernel<formats::u8s8>(s, {.mr = 1, .nv = 1, .vl = 4, .nc = 4, .kc = 4000, .pack_b = true},
                               small_table<formats::u8s8>())
        .run(a.data(), b.data(), c.data());
    CHECK(c[0] == static_cast<std::int32_t>(-2'611'200'000LL + (1LL << 32)));
    CHECK(c[1] == static_cast<std::int32_t>(2'590'800'000LL - (1LL << 32)));
    CHECK(c == reference_gemm<formats::u8s8>(s, a, b));
}

TEST_CASE("a format that groups steps of k refuses what it cannot do")
{
    const gemm_shape s{.m = 2, .n = 4, .k = 8};
    const auto with = [&](gemm_config c) { gemm_kernel<formats::u8s8>(s, c, small_table<formats::u8s8>()); };
    CHECK_THROWS_WITH(with({.mr = 1, .nv = 1, .vl = 4, .nc = 4, .kc = 8}),
                      "tunekit: gemm_config: pack_b is false, want true in the format u8s8");
    CHECK_THROWS_WITH(with({.mr = 1, .nv = 1, .vl = 4, .nc = 4, .kc = 6, .pack_b = true}),
                      "tunekit: gemm_config: kc is 6, want a multiple of the format's group");
    const std::vector<double> b(32);
    gemm_kernel<formats::fp64> plain(s, {.mr = 1, .nv = 1, .vl = 4, .nc = 4, .kc = 8}, small_table<formats::fp64>());
    CHECK_THROWS_WITH(plain.pack(b.data()),
                      "tunekit: gemm_kernel: the configuration does not pack B, want pack_b for pack()");
}
