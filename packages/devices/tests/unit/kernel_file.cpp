// SPDX-License-Identifier: MIT
#include "tunekit/devices/kernel_file.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "packages/devices/tests/support/fake_cuda.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/devices/cuda/session.hpp"
#include "tunekit/devices/detail/half.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/space/product.hpp"

namespace tk = tunekit;
namespace ms = tunekit::measure;

TEST_CASE("a space's parameters as macros")
{
    const tk::space::product space{
        tk::space::parameter<"tile">({8, 16}), tk::space::parameter<"unrolled">({true, false}),
        tk::space::parameter<"type">({"float4", "float"}), tk::space::parameter<"share">({0.5, 2.0})};
    const auto defines = ms::macros(space);
    auto c = space.at(0);
    CHECK(defines(c) == "#define tile 8\n#define unrolled 1\n#define type float4\n#define share 0.5\n");
    tk::get<"tile">(c) = 16;
    tk::get<"unrolled">(c) = false;
    CHECK(defines(c) == "#define tile 16\n#define unrolled 0\n#define type float4\n#define share 0.5\n");
    const tk::space::product odd{tk::space::parameter<"tile-x">({1})};
    CHECK_THROWS_WITH_AS(
        static_cast<void>(ms::macros(odd)),
        "tunekit: macros: the parameter 'tile-x' is not an identifier, want one of letters, digits and _",
        std::invalid_argument);
}

TEST_CASE("a kernel's file is read once; its text follows the macros, and its own lines count")
{
    const support::temporary_folder folder;
    const std::string path = folder / "a \"kernel\".cl";
    tk::io::write_text(path, "kernel text\n");
    const tk::space::product space{tk::space::parameter<"tile">({8, 16})};
    const auto what = ms::kernel_file(path, space, [](const auto& c) {
        return std::vector<ms::device_source::launch>{{.entry = "k", .grid = {tk::get<"tile">(c), 1, 1}}};
    });
    tk::io::write_text(path, "another\n");
    const auto source = what.text(space.at(1));
    CHECK(source.whole() == "#define tile 16\n#line 1 \"" + (folder / "a \\\"kernel\\\".cl") + "\"\nkernel text\n");
    CHECK(source.launches == std::vector<ms::device_source::launch>{{.entry = "k", .grid = {16, 1, 1}}});
    CHECK(what.source_of(space.at(1)).text == source.whole());
    CHECK_THROWS_WITH_AS(
        static_cast<void>(ms::kernel_file(folder / "none.cl", space,
                                          [](const auto&) { return std::vector<ms::device_source::launch>{}; })),
        doctest::Contains("none.cl"), tk::error);
}

TEST_CASE("half precision: exact for every half, and the nearest for every other number")
{
    for (std::uint32_t h = 0; h < 65536; ++h) {
        const auto half = static_cast<std::uint16_t>(h);
        const float x = ms::detail::float_of(half);
        if (std::isnan(x)) CHECK(std::isnan(ms::detail::float_of(ms::detail::half_of(x))));
        else CHECK(ms::detail::half_of(x) == half);
    }
    CHECK(ms::detail::float_of(0x3c00) == 1);
    CHECK(ms::detail::float_of(0x7bff) == 65504);
    CHECK(ms::detail::half_of(65519.996F) == 0x7bff);
    CHECK(ms::detail::half_of(65520) == 0x7c00);  // half way to what would be next
    CHECK(ms::detail::half_of(-1e30F) == 0xfc00);
    CHECK(ms::detail::half_of(0x1p-25F) == 0);  // half of the least, to even
    CHECK(ms::detail::half_of(std::nextafterf(0x1p-25F, 1)) == 1);
    CHECK(ms::detail::half_of(1 + 0x1p-11F) == 0x3c00);  // half way, to even
    CHECK(ms::detail::half_of(1 + 0x3p-11F) == 0x3c02);
    CHECK(ms::detail::half_of(2 - 0x1p-12F) == 0x4000);         // carries into the exponent
    CHECK(ms::detail::half_of(0x1p-14F - 0x1p-26F) == 0x0400);  // from the largest without a leading 1
    tk::random::philox gen(1);
    for (int k = 0; k < 100000; ++k) {
        const float x = std::ldexp(static_cast<float>(tk::random::uniform_01(gen)),
                                   static_cast<int>(tk::random::uniform_index(44, gen)) - 27);
        const std::uint16_t h = ms::detail::half_of(x);
        if (h == 0x7c00) continue;
        const auto off = [&](int by) {
            return std::fabs(static_cast<double>(ms::detail::float_of(static_cast<std::uint16_t>(h + by))) -
                             static_cast<double>(x));
        };
        CHECK(off(0) <= off(1));
        if (h > 0) CHECK(off(0) <= off(-1));
    }
}

TEST_CASE("outputs in half precision are compared as numbers")
{
    const support::fake_library driver(support::fake_driver_source);
    ms::cuda_session gpu(0, driver.path());
    ms::cuda_operands data;
    const std::vector<float> want{1, 2.5F, -3};
    data.output_half(want, {.absolute = 0.01});
    static_cast<void>(data.arguments(gpu, 0));
    data.poison(gpu);
    CHECK(data.wrong(gpu)->find("output 0: element 0 is ") == 0);
    const auto fill = [&](float second) {
        const std::vector<std::uint16_t> got{ms::detail::half_of(1.005F), ms::detail::half_of(second),
                                             ms::detail::half_of(-3)};
        gpu.copy_to(reinterpret_cast<std::uintptr_t>(data.device<char>(gpu, 0)), got.data(), 6);
    };
    fill(2.5F);
    CHECK_FALSE(data.wrong(gpu));
    fill(2.6F);
    CHECK(data.wrong(gpu)->find("output 0: element 1 is 2.59") == 0);
}
