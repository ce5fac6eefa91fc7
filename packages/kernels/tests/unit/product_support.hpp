// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support.hpp"
#include "tests/support/guarded.hpp"
#include "tunekit/kernels/gemm/gemm.hpp"
#include "tunekit/kernels/gemm/space.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/random/philox.hpp"

// Products in number formats, on any table: what test_kernels checks of plain code and test_kernel_table of the machine's instructions.

/// A number of the format between -1 and 1, or any byte.
template <class T, class G>
T random_element(G& gen)
{
    using namespace tunekit;
    const double u = 2 * random::uniform_01(gen) - 1;
    if constexpr (std::is_same_v<T, kernels::bfloat16>) return kernels::bfloat16::nearest(static_cast<float>(u));
    else if constexpr (sizeof(T) == 1) return static_cast<T>(random::uniform_index(256, gen));
    else return static_cast<T>(u);
}

template <class T, class G>
void fill_randomly(std::span<T> to, G& gen)
{
    for (auto& x : to) x = random_element<T>(gen);
}

/// How far a sum may be from the wide reference, relative to the largest: k roundings of the format's sums.
template <class Format>
constexpr double product_tolerance()
{
    return sizeof(typename Format::sum) == 8 ? 1e-14 : std::is_integral_v<typename Format::sum> ? 0 : 1e-5;
}

/// Random configurations on shapes that do not come out even, between pages without access, packed in the run and ahead of it.
template <class Format>
void check_products(const tunekit::kernels::product_table<Format>& table, int trials)
{
    using namespace tunekit::kernels;
    const std::array<gemm_shape, 8> shapes{{{.m = 1, .n = 1, .k = 1},
                                            {.m = 7, .n = 13, .k = 5},
                                            {.m = 16, .n = 16, .k = 16},
                                            {.m = 1, .n = 50, .k = 33},
                                            {.m = 23, .n = 3, .k = 9},
                                            {.batch = 3, .m = 6, .n = 20, .k = 18},
                                            {.m = 12, .n = 70, .k = 2},
                                            {.m = 9, .n = 100, .k = 67}}};
    tunekit::random::philox gen(17);
    for (const auto& s : shapes) {
        const auto n = [](std::int64_t i) { return static_cast<std::size_t>(i); };
        for (const guard side : {guard::behind, guard::before}) {
            basic_guarded<typename Format::left> a(n(std::int64_t{s.batch} * s.m * s.k), side);
            basic_guarded<typename Format::right> b(n(std::int64_t{s.batch} * s.k * s.n), side);
            basic_guarded<typename Format::sum> c(n(std::int64_t{s.batch} * s.m * s.n), side);
            fill_randomly(a.span(), gen);
            fill_randomly(b.span(), gen);
            const auto want = reference_gemm<Format>(s, a.span(), b.span());
            for (int trial = 0; trial < trials; ++trial) {
                const auto config = random_gemm_config(table, gen, Format::group);
                gemm_kernel<Format> kernel(s, config, table);
                CAPTURE(s.m);
                CAPTURE(s.n);
                CAPTURE(s.k);
                CAPTURE(config.mr);
                CAPTURE(config.nv);
                CAPTURE(config.kc);
                for (int run = 0; run < 2; ++run) {
                    c.fill(static_cast<typename Format::sum>(1'000'000'007));
                    kernel.run(a.data(), b.data(), c.data());
                    REQUIRE(relative_error(c.span(), want) <= product_tolerance<Format>());
                }
                if (!config.pack_b) continue;
                const std::vector<typename Format::sum> once(c.span().begin(), c.span().end());
                kernel.pack(b.data());
                c.fill(static_cast<typename Format::sum>(1'000'000'007));
                kernel.run(a.data(), c.data());
                REQUIRE(std::equal(once.begin(), once.end(), c.span().begin()));  // the same sums in the same order
            }
        }
    }
}

inline float flushed(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0F, x) : x; }

/// One step of a bf16 sum as the format documents it.
inline float bf16_step(float sum, const tunekit::kernels::bfloat16* a, const tunekit::kernels::bfloat16* b)
{
    for (const int i : {1, 0}) sum = flushed(std::fma(flushed(a[i]), flushed(b[i]), flushed(sum)));
    return sum;
}

/// Every bf16 tile computes to the last bit what the format documents: with ordinary numbers, with subnormal ones, and with products
/// that fall below them. `x` and `w` are drawn as bits with these exponents.
inline void check_bf16_bits(const tunekit::kernels::product_table<tunekit::kernels::formats::bf16>& table)
{
    using namespace tunekit::kernels;
    tunekit::random::philox gen(29);
    const auto drawn = [&](std::uint32_t lowest, std::uint32_t exponents) {
        const auto u = static_cast<std::uint32_t>(gen());
        return bfloat16{
            static_cast<std::uint16_t>((u & 0x8000U) | ((lowest + (u >> 16) % exponents) << 7) | (u & 0x7fU))};
    };
    constexpr int depth = 5;
    for (const auto& t : table.tiles) {
        const int nr = t.nv * t.vl;
        const auto n = [](int i) { return static_cast<std::size_t>(i); };
        std::vector<bfloat16> x(n(t.mr * depth * 2)), w(n(depth * nr * 2));
        std::vector<float> y(n(t.mr * nr));
        // Exponents are biased by 127: ordinary; subnormal x and large w; products about 2^-126; products that overflow.
        constexpr std::array<std::array<std::uint32_t, 4>, 4> ranges{
            {{120, 16, 120, 16}, {0, 3, 120, 16}, {56, 12, 60, 12}, {186, 8, 186, 8}}};
        for (const auto& r : ranges) {
            for (auto& e : x) e = drawn(r[0], r[1]);
            for (auto& e : w) e = drawn(r[2], r[3]);
            for (auto& e : y) e = drawn(r[0] == 0 ? 0 : r[0] + r[2] - 128 - (r[0] < 100 ? 0 : 5), 10);
            std::vector<float> want = y;
            for (int m = 0; m < t.mr; ++m) {
                for (int j = 0; j < nr; ++j) {
                    for (int k = 0; k < depth; ++k)
                        want[n(m * nr + j)] =
                            bf16_step(want[n(m * nr + j)], &x[n((m * depth + k) * 2)], &w[n((k * nr + j) * 2)]);
                }
            }
            t.run({.x = x.data(),
                   .w = w.data(),
                   .y = y.data(),
                   .x_row = depth * 2,
                   .w_step = nr * 2,
                   .y_row = nr,
                   .depth = depth,
                   .accumulate = true});
            int wrong = 0;
            for (std::size_t i = 0; i < y.size(); ++i) {
                const bool same = std::bit_cast<std::uint32_t>(y[i]) == std::bit_cast<std::uint32_t>(want[i]);
                wrong += !same && !(std::isnan(y[i]) && std::isnan(want[i]));
            }
            CAPTURE(t.mr);
            CAPTURE(t.nv);
            CAPTURE(t.vl);
            CAPTURE(r[0]);
            CHECK(wrong == 0);
        }
    }
}
