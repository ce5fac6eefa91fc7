// SPDX-License-Identifier: MIT
#include "tunekit/kernels/workloads.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>

namespace tk = tunekit;
using namespace tk::kernels;

namespace {

std::int64_t total_macs(const auto& layers)
{
    std::int64_t sum = 0;
    for (const auto& l : layers) sum += l.times * l.shape.macs();
    return sum;
}

/// MFLOP in thousandths, rounded: what tables print with three decimals.
long kiloflops(double flops) { return std::lround(flops / 1e3); }

}  // namespace

TEST_CASE("a convolution's output size and work follow the closed form")
{
    const auto r1 = detail::resnet18[0].shape;
    CHECK(r1.oh() == 112);
    CHECK(r1.ow() == 112);
    CHECK(r1.macs() == std::int64_t{112} * 112 * 64 * 3 * 49);
    CHECK(r1.flops() == 2.0 * 112 * 112 * 64 * 3 * 49);
    const conv2d_shape odd{
        .batch = 2, .ci = 3, .height = 9, .width = 5, .co = 7, .kernel_h = 3, .kernel_w = 1, .stride_h = 2};
    CHECK(odd.oh() == 4);
    CHECK(odd.ow() == 5);
    CHECK(odd.macs() == 2 * 4 * 5 * 7 * 3 * 3);
    CHECK(odd.outputs() == 2 * 7 * 4 * 5);
}

TEST_CASE("huge shapes are counted without overflow, and refused in words")
{
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    constexpr gemm_shape cubed{.m = 3000000, .n = 3000000, .k = 3000000};
    CHECK(cubed.macs() == most);
    CHECK(cubed.flops() == 5.4e19);
    CHECK_THROWS_WITH_AS(detail::require_valid(cubed),
                         "tunekit: gemm_shape: multiplications are 2^63 or more, want fewer", std::invalid_argument);
    constexpr gemm_shape large{.m = 2000000, .n = 2000000, .k = 2000000};
    CHECK(large.macs() == 8000000000000000000);
    detail::require_valid(large);
    constexpr int high = std::numeric_limits<int>::max();
    CHECK_THROWS_WITH_AS(detail::require_valid(conv2d_shape{.height = high, .width = 1, .kernel_h = 3, .padding_h = 1}),
                         "tunekit: conv2d_shape: the padded image is 2147483649 x 1, want sides below 2^31",
                         std::invalid_argument);
    constexpr conv2d_shape huge{.batch = high, .ci = high, .height = high, .width = high, .co = high};
    CHECK(huge.inputs() == most);
    CHECK(huge.outputs() == most);
    CHECK(huge.macs() == most);
    CHECK(huge.oh() == high);
    CHECK(huge.flops() > 9e46);
    CHECK_THROWS_AS(detail::require_valid(huge), std::invalid_argument);
}

TEST_CASE("each layer's MFLOP are those of the published tables")
{
    const long r[] = {236028, 231211, 25690, 115606, 12845, 231211, 115606, 12845, 231211, 115606, 12845, 231211};
    const long v[] = {173408, 3699376, 1849688, 3699376, 1849688, 3699376, 1849688, 3699376, 924844};
    const long a[] = {140554, 447898, 224281, 299041, 199361};
    const long s[] = {43352, 6195, 6195,  55757, 12390, 5972, 5972,  53748, 11944,
                      4153,  3115, 28035, 6230,  8307,  5538, 49840, 11076, 173056};
    const auto check = [](const auto& layers, const auto& want) {
        for (std::size_t i = 0; i < std::size(want); ++i) {
            CAPTURE(std::string(layers[i].name));
            CHECK(kiloflops(layers[i].shape.flops()) == want[i]);
        }
    };
    check(detail::resnet18, r);
    check(detail::vgg16, v);
    check(detail::alexnet, a);
    check(detail::squeezenet, s);
}

TEST_CASE("each network's multiplications add up exactly")
{
    CHECK(total_macs(detail::resnet18) == 1'826'406'400);
    CHECK(total_macs(detail::resnet18) - detail::resnet18[2].shape.macs() ==
          1'813'561'344);  // without the shortcut of stage 1
    CHECK(total_macs(detail::vgg16) == 15'346'630'656);
    CHECK(total_macs(detail::alexnet) == 655'566'528);
    CHECK(total_macs(detail::squeezenet) == 349'537'280);
}

TEST_CASE("a transformer encoder costs 24 s d^2 + 4 s^2 d per layer")
{
    const auto gflops = [](int d, int s, int layers) {
        const auto tasks = detail::transformer_encoder(d, s, layers);
        return static_cast<double>(2 * total_macs(tasks));
    };
    for (const int d : {512, 768, 1024}) {
        for (const std::int64_t s : {128, 384, 512}) {
            CHECK(gflops(d, static_cast<int>(s), 7) == static_cast<double>(7 * (24 * s * d * d + 4 * s * s * d)));
        }
    }
    CHECK(kiloflops(gflops(512, 128, 6)) == 5'033'165);
    CHECK(kiloflops(gflops(768, 128, 12)) == 22'347'252);
    CHECK(kiloflops(gflops(768, 384, 12)) == 70'665'634);
    CHECK(kiloflops(gflops(768, 512, 12)) == 96'636'764);
    CHECK(kiloflops(detail::bert_base[0].shape.flops()) == 452'985);
    CHECK(kiloflops(detail::bert_base[1].shape.flops()) == 25'166);
    CHECK(kiloflops(detail::transformer[1].shape.flops()) == 16'777);
}

TEST_CASE("networks are found by name and an unknown one is not")
{
    REQUIRE(find_network("resnet18") != nullptr);
    CHECK(find_network("resnet18")->convolutions.size() == 12);
    CHECK(find_network("bert")->products.size() == 6);
    CHECK(find_network("lenet") == nullptr);
    std::set<std::string> names;
    for (const auto& n : networks) names.emplace(n.name);
    CHECK(names.size() == networks.size());
}

TEST_CASE("shapes without an output are refused")
{
    CHECK_THROWS_WITH_AS(detail::require_valid(conv2d_shape{.ci = 0}),
                         "tunekit: conv2d_shape: a size or stride is below 1, want >= 1", std::invalid_argument);
    CHECK_THROWS_WITH_AS(detail::require_valid(conv2d_shape{.height = 2, .width = 2, .kernel_h = 3, .kernel_w = 3}),
                         "tunekit: conv2d_shape: the kernel is larger than the padded image, want an output",
                         std::invalid_argument);
    CHECK_THROWS_AS(detail::require_valid(conv2d_shape{.padding_h = 1}), std::invalid_argument);
    CHECK_THROWS_WITH_AS(detail::require_valid(gemm_shape{.k = 0}), "tunekit: gemm_shape: a size is below 1, want >= 1",
                         std::invalid_argument);
}
