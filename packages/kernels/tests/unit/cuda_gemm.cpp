// SPDX-License-Identifier: MIT
#include "tunekit/kernels/cuda/gemm.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "packages/devices/tests/support/cuda_emulation.hpp"
#include "packages/kernels/tests/unit/cuda_support.hpp"
#include "packages/kernels/tests/unit/support.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
using tk::kernels::cuda_arithmetic;
using tk::kernels::gemm_shape;
using tk::kernels::detail::cuda_layout;
using tk::measure::device_source;

namespace {

/// C = A W^T for W [n][k], by the definition, of operands that the arithmetic holds exactly.
struct product {
    product(const gemm_shape& shape, cuda_arithmetic how)
        : s(shape), c(static_cast<std::size_t>(shape.batch) * static_cast<std::size_t>(shape.m * shape.n))
    {
        tk::random::philox gen(2);
        a = uniform_floats(std::int64_t{1} * s.batch * s.m * s.k, gen);
        w = uniform_floats(std::int64_t{1} * s.batch * s.n * s.k, gen);
        for (auto* v : {&a, &w})
            for (float& f : *v) {
                const auto bits = std::bit_cast<std::uint32_t>(f);
                if (how == cuda_arithmetic::tf32) f = std::bit_cast<float>(bits & 0xFFFFE000U);
                if (how == cuda_arithmetic::bf16) f = std::bit_cast<float>(bits & 0xFFFF0000U);
                upper[v == &w].push_back(static_cast<std::uint16_t>(bits >> 16));
            }
        half = how == cuda_arithmetic::bf16;
        want = tk::kernels::reference_gemm(s, a, transposed_weights(s, w));
    }

    double error(const device_source& source, std::uint64_t seed = 1)
    {
        c.fill(1e9F);
        void* const left = half ? static_cast<void*>(upper[0].data()) : a.data();
        void* const right = half ? static_cast<void*>(upper[1].data()) : w.data();
        emulation::program(source).run({left, right, c.data()}, seed);
        return tk::kernels::relative_error(c.span(), want);
    }

    gemm_shape s;
    std::vector<float> a, w, want;
    std::vector<std::uint16_t> upper[2];
    bool half = false;
    guarded c;
};

template <class Space>
auto plain_config(const Space& space, int stages)
{
    auto c = space.at(0);
    tk::get<"block_m">(c) = 32;
    tk::get<"block_n">(c) = 32;
    tk::get<"row_bytes">(c) = 64;
    tk::get<"warps_m">(c) = 2;
    tk::get<"warps_n">(c) = 1;
    tk::get<"stages">(c) = stages;
    tk::get<"vector">(c) = 16;
    tk::get<"layout">(c) = cuda_layout::swizzled;
    tk::get<"raster">(c) = 2;
    tk::get<"unroll">(c) = 2;
    return c;
}

}  // namespace

TEST_CASE("sampled products compute the definition in every arithmetic, where tiles stick out on all sides")
{
    for (const auto how : {cuda_arithmetic::fp32, cuda_arithmetic::tf32, cuda_arithmetic::bf16}) {
        CAPTURE(static_cast<int>(how));
        product p({.batch = 2, .m = 70, .n = 51, .k = 88}, how);
        for (const auto& source : valid_sources(tk::kernels::cuda_gemm_template(p.s, how), 6, 9)) {
            CAPTURE(source.text);
            CHECK(p.error(source) < 1e-5);
        }
    }
}

TEST_CASE("products of whole tiles, and of rows that allow copies of 4 bytes only, compute the definition")
{
    for (const auto how : {cuda_arithmetic::fp32, cuda_arithmetic::bf16}) {
        product whole({.m = 64, .n = 32, .k = 128}, how);
        const auto space = tk::kernels::detail::cuda_gemm_space(whole.s, how);
        CHECK(whole.error(tk::kernels::detail::cuda_gemm_source(whole.s, how, plain_config(space, 3))) < 1e-5);
        product odd({.m = 33, .n = 20, .k = how == cuda_arithmetic::bf16 ? 22 : 11}, how);
        for (const auto& source : valid_sources(tk::kernels::cuda_gemm_template(odd.s, how), 2, 3)) {
            CAPTURE(source.text);
            CHECK(source.text.find("tk_cp_async<4>") != std::string::npos);
            CHECK(odd.error(source) < 1e-5);
        }
    }
}

TEST_CASE("a product needs its barriers, and each wait for what it copies")
{
    for (const auto how : {cuda_arithmetic::fp32, cuda_arithmetic::tf32}) {
        product p({.m = 64, .n = 64, .k = 96}, how);
        const auto space = tk::kernels::detail::cuda_gemm_space(p.s, how);
        for (const int stages : {1, 2, 3}) {
            CAPTURE(stages);
            const auto whole = tk::kernels::detail::cuda_gemm_source(p.s, how, plain_config(space, stages));
            auto cut = without_one_barrier(whole);
            REQUIRE(cut.size() == (stages == 1 ? 2 : 1));
            cut.push_back(whole);
            const std::string wait = "tk_wait<" + std::to_string(stages == 1 ? 0 : stages - 2) + ">();";
            REQUIRE(cut.back().text.find(wait) != std::string::npos);
            cut.back().text.replace(cut.back().text.find(wait), wait.size(),
                                    "tk_wait<" + std::to_string(stages) + ">();");
            for (const std::uint64_t seed : {1U, 2U}) {
                CHECK(p.error(whole, seed) < 1e-5);
                for (const auto& source : cut) CHECK(p.error(source, seed) > 1e-3);
            }
        }
    }
}

TEST_CASE("operands of TF32 are rounded to nearest, ties away from zero, and the emulation refuses others")
{
    const auto how = cuda_arithmetic::tf32;
    product p({.m = 32, .n = 32, .k = 64}, cuda_arithmetic::fp32);  // operands of 23 bits of fraction
    p.a[0] = std::bit_cast<float>(0x3F801000U);                     // 1 and a half step: up
    p.a[1] = std::bit_cast<float>(0xBF801000U);                     // down
    std::vector<float> rounded[2] = {p.a, p.w};
    for (auto& v : rounded)
        for (float& f : v) {  // by the definition, in double
            const double step = std::ldexp(1.0, std::ilogb(f) - 10);
            f = static_cast<float>(std::round(static_cast<double>(f) / step) * step);
        }
    CHECK(rounded[0][0] == std::bit_cast<float>(0x3F802000U));
    CHECK(rounded[0][1] == std::bit_cast<float>(0xBF802000U));
    p.want = tk::kernels::reference_gemm(p.s, rounded[0], transposed_weights(p.s, rounded[1]));
    const auto space = tk::kernels::detail::cuda_gemm_space(p.s, how);
    const auto whole = tk::kernels::detail::cuda_gemm_source(p.s, how, plain_config(space, 3));
    CHECK(p.error(whole) < 1e-6);
    for (const char* const rounding : {"fa[i][q] = tk_tf32(fa[i][q]);", "fb[j][q] = tk_tf32(fb[j][q]);"}) {
        auto cut = whole;
        REQUIRE(cut.text.find(rounding) != std::string::npos);
        cut.text.replace(cut.text.find(rounding), std::string(rounding).size(), ";");
        CHECK_THROWS_WITH_AS((void)p.error(cut), "emulation: mma: an operand that was not rounded to TF32",
                             std::logic_error);
    }
}

TEST_CASE("copies, matrix loads and vector accesses are aligned, and the emulation refuses those that are not")
{
    const auto shifted = [](device_source s, const std::string& what, const std::string& by) {
        REQUIRE(s.text.find(what) != std::string::npos);
        s.text.replace(s.text.find(what), what.size(), by);
        return s;
    };
    for (const auto how : {cuda_arithmetic::fp32, cuda_arithmetic::tf32}) {
        product p({.m = 64, .n = 64, .k = 96}, how);
        const auto space = tk::kernels::detail::cuda_gemm_space(p.s, how);
        auto c = plain_config(space, 2);
        tk::get<"layout">(c) = cuda_layout::padded;
        const auto whole = tk::kernels::detail::cuda_gemm_source(p.s, how, c);
        CHECK(p.error(whole) < 1e-5);
        const char* const copy = "emulation: an asynchronous copy that is not aligned to its size";
        CHECK_THROWS_WITH_AS((void)p.error(shifted(whole, "to + tk_place(row, byte)", "to + 8 + tk_place(row, byte)")),
                             copy, std::logic_error);
        CHECK_THROWS_WITH_AS((void)p.error(shifted(whole, ", a + (valid", ", a + 1 + (valid")), copy, std::logic_error);
        // Rows of 76 bytes: what is copied in parts of 4 lies well, what is read in parts of 16 does not.
        auto narrow = shifted(whole, "return row * 80", "return row * 76");
        for (std::size_t at = narrow.text.find("tk_cp_async<16>"); at != std::string::npos;
             at = narrow.text.find("tk_cp_async<16>"))
            narrow.text.replace(at, 15, "tk_cp_async<4>");
        CHECK_THROWS_WITH_AS((void)p.error(narrow),
                             how == cuda_arithmetic::fp32
                                 ? "emulation: a vector access that is not aligned to its size"
                                 : "emulation: ldmatrix: a row that is not aligned to 16 bytes",
                             std::logic_error);
    }
}

TEST_CASE("a product's launch and shared memory follow from its configuration")
{
    const gemm_shape s{.batch = 3, .m = 100, .n = 64, .k = 128};
    const auto space = tk::kernels::detail::cuda_gemm_space(s, cuda_arithmetic::tf32);
    auto c = plain_config(space, 4);
    CHECK(tk::kernels::detail::cuda_gemm_source(s, cuda_arithmetic::tf32, c).launches ==
          std::vector<tk::measure::device_source::launch>{
              {.grid = {4 * 2, 1, 3}, .block = {64, 1, 1}, .shared_bytes = 4 * (32 + 32) * 64}});
    CHECK(tk::kernels::detail::cuda_gemm_usage(c).accumulators == 16);
    tk::get<"layout">(c) = cuda_layout::padded;
    CHECK(tk::kernels::detail::cuda_gemm_usage(c).shared_bytes == 4 * (32 + 32) * 80);
    CHECK_THROWS_WITH_AS(
        (void)tk::kernels::detail::cuda_gemm_source(s, cuda_arithmetic::tf32, c, {.shared_bytes = 20000}),
        "tunekit: cuda_gemm_source: shared memory in bytes is 20480, want at most 20000", std::invalid_argument);
    CHECK_THROWS_AS((void)tk::kernels::detail::cuda_gemm_space(gemm_shape{.k = 3}, cuda_arithmetic::bf16),
                    std::invalid_argument);
}
