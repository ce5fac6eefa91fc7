// SPDX-License-Identifier: MIT
// The Hopper template's own text runs here in an emulation of what the PTX manual says of its instructions. No device has run it.
#include "tunekit/kernels/cuda/hopper_gemm.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "packages/devices/tests/support/cuda_emulation.hpp"
#include "packages/kernels/tests/unit/cuda_support.hpp"
#include "packages/kernels/tests/unit/support.hpp"
#include "tunekit/devices/detail/half.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
using tk::kernels::cuda_arithmetic;
using tk::kernels::gemm_shape;
using tk::kernels::detail::cuda_cluster;

namespace {

/// C = A W^T of operands that 16 bits hold, by the definition.
struct hopper_product {
    hopper_product(const gemm_shape& shape, cuda_arithmetic arithmetic) : s(shape), how(arithmetic)
    {
        tk::random::philox gen(4);
        a = uniform_floats(std::int64_t{1} * s.batch * s.m * s.k, gen);
        w = uniform_floats(std::int64_t{1} * s.batch * s.n * s.k, gen);
        for (auto* v : {&a, &w})
            for (float& f : *v) {
                const std::uint16_t half = tk::measure::detail::half_of(f);
                if (how == cuda_arithmetic::fp16) f = tk::measure::detail::float_of(half);
                else f = std::bit_cast<float>(std::bit_cast<std::uint32_t>(f) & 0xFFFF0000U);
                narrow[v == &w].push_back(how == cuda_arithmetic::fp16
                                              ? half
                                              : static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(f) >> 16));
            }
        want = tk::kernels::reference_gemm(s, a, transposed_weights(s, w));
    }

    double error(const tk::measure::device_source& source, bool short_result = false, std::uint64_t seed = 1)
    {
        const bool floats = how == cuda_arithmetic::tf32;
        void* const left = floats ? static_cast<void*>(a.data()) : narrow[0].data();
        void* const right = floats ? static_cast<void*>(w.data()) : narrow[1].data();
        const guarded c(want.size());
        c.fill(1e9F);
        if (!short_result || floats) {
            emulation::program(source).run({left, right, c.data()}, seed);
        } else {
            const guarded halves((want.size() + 1) / 2);
            halves.fill(1e9F);
            emulation::program(source).run({left, right, halves.data()}, seed);
            const auto* const bits = reinterpret_cast<const std::uint16_t*>(halves.data());
            for (std::size_t i = 0; i < want.size(); ++i)
                c.data()[i] = how == cuda_arithmetic::fp16 ? tk::measure::detail::float_of(bits[i])
                                                           : tk::measure::detail::float_of_bfloat16(bits[i]);
        }
        return tk::kernels::relative_error(c.span(), want);
    }

    gemm_shape s;
    cuda_arithmetic how;
    std::vector<float> a, w, want;
    std::vector<std::uint16_t> narrow[2];
};

template <class Template>
auto plain(const Template& t, cuda_cluster cluster, int ahead)
{
    auto c = t.space.at(0);
    tk::get<"warpgroups">(c) = 1;
    tk::get<"fragments">(c) = 1;
    tk::get<"block_n">(c) = 32;
    tk::get<"row_bytes">(c) = 64;
    tk::get<"stages">(c) = 3;
    tk::get<"cluster">(c) = cluster;
    tk::get<"ahead">(c) = ahead;
    tk::get<"resident">(c) = 1;
    tk::get<"persistent">(c) = true;
    tk::get<"raster">(c) = 2;
    return c;
}

}  // namespace

TEST_CASE("sampled products for Hopper, and of older devices in the same arithmetic, compute the definition")
{
    for (const auto how : {cuda_arithmetic::tf32, cuda_arithmetic::bf16, cuda_arithmetic::fp16})
        for (const bool narrow : {false, true}) {
            CAPTURE(static_cast<int>(how));
            hopper_product p({.batch = 2, .m = 150, .n = narrow ? 71 : 70, .k = 88}, how);
            const auto what = tk::kernels::hopper_gemm_template(p.s, how, {.narrow = narrow, .processors = 3});
            auto sources = valid_sources(what, 3, 9);
            for (auto& older : valid_sources(tk::kernels::cuda_gemm_template(p.s, how, {.narrow = narrow}), 2, 9))
                sources.push_back(std::move(older));
            for (const auto& source : sources) {  // tiles stick out on all sides
                CAPTURE(source.text);
                // A bfloat16 has 8 bits: half a step is 1/512 of a number.
                CHECK(p.error(source, narrow) < (narrow && how != cuda_arithmetic::tf32 ? 5e-3 : 1e-5));
            }
        }
}

TEST_CASE("clusters of both kinds compute the definition, and need each of their waits")
{
    hopper_product p({.m = 192, .n = 96, .k = 256}, cuda_arithmetic::bf16);
    const auto what = tk::kernels::hopper_gemm_template(p.s, p.how, {.processors = 2});
    for (const auto cluster : {cuda_cluster::none, cuda_cluster::rows, cuda_cluster::columns})
        for (const int ahead : {0, 1}) {
            const auto whole = what.text(plain(what, cluster, ahead));
            CHECK(whole.launches[0].grid[0] == 2);
            for (const std::uint64_t seed : {1U, 2U}) CHECK(p.error(whole, false, seed) < 1e-5);
            for (const char* const wait :
                 {"tk_barrier_wait(full + 8 * stage, phase);", "tk_barrier_wait(empty + 8 * stage, phase ^ 1);"}) {
                auto cut = whole;
                REQUIRE(cut.text.find(wait) != std::string::npos);
                cut.text.replace(cut.text.find(wait), std::string(wait).size(), ";");
                double wrong = 1;
                try {
                    wrong = p.error(cut);
                } catch (const std::logic_error&) {  // told by the emulation: too many arrivals, copies left behind
                }
                CHECK(!(wrong < 1e-3));
            }
        }
}

TEST_CASE("what tensor maps cannot describe is refused by the space in a sentence that names the older template")
{
    CHECK_THROWS_WITH_AS((void)tk::kernels::hopper_gemm_template({.m = 64, .n = 64, .k = 12}, cuda_arithmetic::bf16),
                         "tunekit: hopper_gemm_template: a row of k has 24 bytes, and tensor maps want a multiple of "
                         "16; cuda_gemm_template has no such limit",
                         std::invalid_argument);
    const auto chosen = [](const char* architecture, const gemm_shape& s, cuda_arithmetic how, bool asked = true) {
        return tk::kernels::with_cuda_gemm(architecture, s, how, {.hopper = asked},
                                           [](const auto&, const std::string& why) { return why; });
    };
    const gemm_shape good{.m = 64, .n = 64, .k = 64};
    CHECK(chosen("sm_90a", good, cuda_arithmetic::bf16) == "hopper_gemm_template");
    CHECK(chosen("sm_90a", good, cuda_arithmetic::bf16, false) ==
          "cuda_gemm_template: hopper_gemm_template has run on no device yet and was not asked for");
    CHECK(chosen("sm_80", good, cuda_arithmetic::bf16) == "cuda_gemm_template: sm_80 is not sm_90a");
    CHECK(chosen("sm_90a", {.m = 64, .n = 64, .k = 6}, cuda_arithmetic::tf32).find("a row of k has 24 bytes") !=
          std::string::npos);
    CHECK(chosen("sm_90a", good, cuda_arithmetic::fp32).find("no tensor cores") != std::string::npos);
}

TEST_CASE("launch, tensor maps and registers follow from a configuration")
{
    const gemm_shape s{.batch = 2, .m = 4096, .n = 4096, .k = 4096};
    const auto what = tk::kernels::hopper_gemm_template(s, cuda_arithmetic::bf16);
    auto c = plain(what, cuda_cluster::rows, 1);
    tk::get<"warpgroups">(c) = 2;
    tk::get<"block_n">(c) = 256;
    tk::get<"row_bytes">(c) = 128;
    tk::get<"stages">(c) = 4;
    const auto source = what.text(c);
    CHECK(source.launches[0].grid[0] == 132);
    CHECK(source.launches[0].block[0] == 384);
    CHECK(source.launches[0].shared_bytes == 4 * ((128 + 256) * 128 + 16));
    CHECK(source.maps[0].box == std::vector<std::int64_t>{64, 128, 1});
    CHECK(source.maps[1].box == std::vector<std::int64_t>{64, 128, 1});  // a half
    CHECK(source.maps[1].strides == std::vector<std::int64_t>{8192, 8192 * 4096});
    CHECK(source.text.find("tk_registers_inc<232>") != std::string::npos);
    CHECK(source.text.find("tk_registers_dec<40>") != std::string::npos);
    for (const int warpgroups : {1, 2, 3})
        for (const int resident : {1, 2}) {
            const tk::kernels::detail::hopper_tile t{.warpgroups = warpgroups, .resident = resident};
            CHECK((t.spare_registers() >= 24 && t.registers() % 8 == 0 && t.spare_registers() % 8 == 0));
            CHECK(128 * (t.spare_registers() + warpgroups * t.registers()) * resident <= 65536);
        }
}
