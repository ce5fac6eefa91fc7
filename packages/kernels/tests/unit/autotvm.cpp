// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "tunekit/kernels/autotvm/cuda.hpp"
#include "tunekit/kernels/autotvm/x86.hpp"
#include "tunekit/kernels/detail/autotvm_conv2d.hpp"
#include "tunekit/kernels/workloads.hpp"
#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
namespace at = tunekit::kernels::autotvm;
using tk::kernels::conv2d_shape;
using tk::kernels::gemm_shape;
using ints = std::vector<int>;

namespace {

/// Sizes of the spaces of one layer, and the share of CUDA configurations that the static checks refuse.
struct row {
    std::string_view layer;
    tk::index cuda;
    double invalid;
    tk::index winograd;  // 0: has none
    tk::index factors, verbose;
};

constexpr row rows[] = {
    {"R1", 79027200, .50, 0, 252, 308},          {"R2", 90316800, .37, 352800, 784, 980},
    {"R3", 22579200, .33, 0, 784, 980},          {"R4", 32256000, .42, 0, 672, 896},
    {"R5", 8064000, .36, 0, 672, 896},           {"R6", 36864000, .35, 576000, 768, 1024},
    {"R7", 8110080, .41, 0, 576, 864},           {"R8", 2027520, .30, 0, 576, 864},
    {"R9", 9123840, .40, 89100, 648, 972},       {"R10", 760320, .47, 0, 360, 720},
    {"R11", 190080, .34, 0, 360, 720},           {"R12", 844800, .49, 462000, 400, 800},
    {"V1", 202309632, .41, 846720, 280, 308},    {"V2", 708083712, .70, 2963520, 980, 1078},
    {"V3", 395136000, .57, 1764000, 1008, 1232}, {"V4", 451584000, .62, 2016000, 1152, 1408},
    {"V5", 202752000, .51, 792000, 1152, 1440},  {"V6", 228096000, .56, 891000, 1296, 1620},
    {"V7", 76032000, .52, 1188000, 1080, 1440},  {"V8", 84480000, .57, 1320000, 1200, 1600},
    {"V9", 13516800, .52, 132000, 800, 1200},    {"A1", 1032192, .55, 0, 112, 252},
    {"A2", 22579200, .35, 1411200, 784, 1568},   {"A3", 2580480, .39, 403200, 896, 2240},
    {"A4", 1013760, .43, 158400, 576, 1440},     {"A5", 570240, .41, 89100, 324, 810},
};

conv2d_shape shape_of(std::string_view layer)
{
    for (const auto& net : tk::kernels::networks)
        for (const auto& l : net.convolutions)
            if (l.name == layer) return l.shape;
    throw std::logic_error("no such layer");
}

tk::index x86_size(const conv2d_shape& s, tk::space::split_policy policy)
{
    return s.kernel_h == 1 ? tk::kernels::detail::pointwise_x86_space(s, policy).size()
                           : tk::kernels::detail::conv2d_x86_space(s, policy).size();
}

template <class Space, class Usage>
double refused(const Space& space, Usage usage, std::size_t n)
{
    tk::random::philox gen(7);
    std::size_t out = 0;
    for (const auto i : space.sample(n, gen)) out += tk::kernels::detail::exceeds(usage(space.at(i))).has_value();
    return static_cast<double>(out) / static_cast<double>(n);
}

}  // namespace

TEST_CASE("the spaces of every layer of ResNet-18, VGG-16 and AlexNet have AutoTVM's sizes")
{
    for (const row& r : rows) {
        CAPTURE(r.layer);
        const conv2d_shape s = shape_of(r.layer);
        CHECK(tk::kernels::detail::conv2d_cuda_space(s).size() == r.cuda);
        if (r.winograd != 0) CHECK(tk::kernels::detail::winograd_cuda_space(s).size() == r.winograd);
        CHECK(x86_size(s, tk::space::split_policy::factors) == r.factors);
        CHECK(x86_size(s, tk::space::split_policy::verbose) == r.verbose);
    }
}

TEST_CASE("the CPU spaces of SqueezeNet 1.1 have AutoTVM's sizes")
{
    const tk::index sizes[] = {252, 280, 280, 280, 320, 384, 384, 384, 432,
                               360, 560, 560, 640, 448, 252, 252, 280, 640};
    for (std::size_t k = 0; k < tk::kernels::detail::squeezenet.size(); ++k)
        CHECK(x86_size(tk::kernels::detail::squeezenet[k].shape, tk::space::split_policy::factors) == sizes[k]);
}

// The shares are published rounded to 0.01, from 60 000 draws; ours are of 40 000, whose standard deviation is at most 0.0025. With a fixed seed
// the test cannot alarm by chance later; a template whose formula is off is off by more.
TEST_CASE("the static checks refuse the share of CUDA configurations that AutoTVM's do, within 0.01")
{
    for (const row& r : rows) {
        CAPTURE(r.layer);
        const conv2d_shape s = shape_of(r.layer);
        CHECK(std::fabs(refused(
                            tk::kernels::detail::conv2d_cuda_space(s),
                            [&](const auto& c) { return tk::kernels::detail::conv2d_cuda_usage(s, c); }, 40000) -
                        r.invalid) <= 0.01);
    }
}

TEST_CASE("indices of the published CUDA records mean the published tiles")
{
    const auto c1 = tk::kernels::detail::conv2d_cuda_space(tk::kernels::square_conv2d(2048, 8, 192, 1, 1, 0));
    CHECK(c1.size() == 9676800);
    const auto a = c1.at(8797896);
    CHECK(tk::get<"tile_f">(a) == ints{6, 1, 32, 1});
    CHECK(tk::get<"tile_y">(a) == ints{4, 1, 2, 1});
    CHECK(tk::get<"tile_x">(a) == ints{1, 1, 8, 1});
    CHECK(tk::get<"tile_rc">(a) == ints{64, 32});
    CHECK(tk::get<"tile_ry">(a) == ints{1, 1});
    CHECK(tk::get<"auto_unroll_max_step">(a) == 1500);
    CHECK(tk::get<"unroll_explicit">(a) == 1);

    const auto b = tk::kernels::detail::conv2d_cuda_space(tk::kernels::square_conv2d(2048, 8, 448, 1, 1, 0)).at(734204);
    CHECK(tk::get<"tile_f">(b) == ints{28, 2, 8, 1});
    CHECK(tk::get<"tile_y">(b) == ints{2, 2, 2, 1});
    CHECK(tk::get<"tile_x">(b) == ints{1, 1, 8, 1});
    CHECK(tk::get<"tile_rc">(b) == ints{64, 32});
    CHECK(tk::get<"auto_unroll_max_step">(b) == 0);
    CHECK(tk::get<"unroll_explicit">(b) == 0);

    const auto w =
        tk::kernels::detail::winograd_cuda_space(tk::kernels::square_conv2d(448, 8, 384, 3, 1, 1)).at(232980);
    CHECK(tk::get<"tile_b">(w) == ints{36, 1, 1, 1});
    CHECK(tk::get<"tile_y">(w) == ints{6, 1, 32, 2});
    CHECK(tk::get<"tile_x">(w) == ints{1, 1, 4, 1});
    CHECK(tk::get<"tile_rc">(w) == ints{28, 16});
    CHECK(tk::get<"auto_unroll_max_step">(w) == 0);
    CHECK(tk::get<"unroll_explicit">(w) == 1);

    const auto m = tk::kernels::detail::batched_gemm_cuda_space(gemm_shape{.m = 128, .n = 128, .k = 20}).at(50881);
    CHECK(tk::get<"tile_y">(m) == ints{2, 32, 2});
    CHECK(tk::get<"tile_x">(m) == ints{32, 2, 2});
    CHECK(tk::get<"tile_k">(m) == ints{4, 5});
    CHECK(tk::get<"auto_unroll_max_step">(m) == 32);
    CHECK(tk::get<"unroll_explicit">(m) == 1);
}

// The facts are those of TopHub's package llvm_v0.03 for skylake-avx512: index and inner tile of each knob, by layer.
TEST_CASE("indices of TopHub's CPU records mean the tiles published with them")
{
    struct published {
        conv2d_shape shape;
        tk::index record;
        int ic, oc, ow, last;  ///< inner sizes; the last knob is unroll_kw, for 1 x 1 kernels tile_oh
    };
    const auto shape = tk::kernels::square_conv2d;
    const published all[] = {
        {shape(3, 224, 64, 7, 2, 3), 193, 3, 32, 8, 0},      {shape(64, 56, 64, 3, 1, 1), 188, 64, 32, 7, 1},
        {shape(64, 56, 128, 3, 2, 1), 495, 32, 64, 4, 0},    {shape(128, 28, 128, 3, 1, 1), 239, 128, 32, 7, 1},
        {shape(128, 28, 256, 3, 2, 1), 187, 8, 32, 7, 1},    {shape(256, 14, 256, 3, 1, 1), 286, 128, 16, 14, 1},
        {shape(256, 14, 512, 3, 2, 1), 138, 8, 32, 7, 1},    {shape(512, 7, 512, 3, 1, 1), 159, 512, 32, 7, 1},
        {shape(64, 56, 128, 1, 2, 0), 150, 8, 32, 4, 1},     {shape(128, 28, 256, 1, 2, 0), 254, 64, 16, 14, 1},
        {shape(256, 14, 512, 1, 2, 0), 142, 128, 32, 7, 1},  {shape(512, 28, 256, 1, 2, 0), 516, 64, 64, 2, 2},
        {shape(512, 28, 1024, 1, 2, 0), 619, 512, 64, 2, 2}, {shape(1024, 14, 256, 1, 1, 0), 570, 512, 64, 2, 2},
    };
    for (const published& p : all) {
        CAPTURE(p.record);
        const auto same_tiles = [&](const auto& c) {
            CHECK(tk::get<"tile_ic">(c) == ints{p.shape.ci / p.ic, p.ic});
            CHECK(tk::get<"tile_oc">(c) == ints{p.shape.co / p.oc, p.oc});
            CHECK(tk::get<"tile_ow">(c) == ints{p.shape.ow() / p.ow, p.ow});
        };
        if (p.shape.kernel_h == 1) {
            const auto c = tk::kernels::detail::pointwise_x86_space(p.shape).at(p.record);
            same_tiles(c);
            CHECK(tk::get<"tile_oh">(c) == p.last);
        } else {
            const auto c = tk::kernels::detail::conv2d_x86_space(p.shape).at(p.record);
            same_tiles(c);
            CHECK(tk::get<"unroll_kw">(c) == (p.last == 1));
        }
    }
}

TEST_CASE("the matrix product spaces have AutoTVM's sizes")
{
    CHECK(tk::kernels::detail::batched_gemm_cuda_space(gemm_shape{.m = 128, .n = 128, .k = 64}).size() == 72576);
    CHECK(tk::kernels::detail::batched_gemm_cuda_space(gemm_shape{.m = 128, .n = 64, .k = 128}).size() == 64512);
    CHECK(tk::kernels::detail::batched_gemm_x86_space(gemm_shape{.m = 128, .n = 128, .k = 64}).size() == 448);
    CHECK(tk::kernels::detail::batched_gemm_x86_space(gemm_shape{.m = 128, .n = 64, .k = 128}).size() == 448);
    CHECK(tk::kernels::detail::dense_pack_x86_space(gemm_shape{.m = 128, .n = 2304, .k = 768}).size() == 874800);
    CHECK(tk::kernels::detail::dense_pack_x86_space(gemm_shape{.m = 128, .n = 768, .k = 768}).size() == 437400);
    CHECK(tk::kernels::detail::dense_pack_x86_space(gemm_shape{.m = 128, .n = 3072, .k = 768}).size() == 641520);
    CHECK(tk::kernels::detail::dense_pack_x86_space(gemm_shape{.m = 128, .n = 768, .k = 3072}).size() == 534600);
    CHECK(tk::kernels::detail::dense_small_cuda_space(gemm_shape{.m = 1, .n = 1000, .k = 512}).size() == 10);
}

TEST_CASE("the dense template is pruned as its authors meant, or not at all as it was shipped")
{
    const gemm_shape base{.m = 128, .n = 768, .k = 768}, small{.m = 128, .n = 512, .k = 512};
    CHECK(tk::kernels::detail::dense_large_cuda_space(base, tk::kernels::detail::pruning::shipped).size() == 10692000);
    CHECK(tk::kernels::detail::dense_large_cuda_space(base).size() == 25856);
    CHECK(tk::kernels::detail::dense_large_cuda_space(small, tk::kernels::detail::pruning::shipped).size() == 1452000);
    CHECK(tk::kernels::detail::dense_large_cuda_space(small).size() == 9216);
    CHECK_THROWS_AS((void)tk::kernels::detail::dense_large_cuda_space(gemm_shape{.m = 33, .n = 64, .k = 64}),
                    std::invalid_argument);
}

TEST_CASE("a product has a dense template exactly where the pruned space is not empty")
{
    std::size_t with = 0;
    for (const int m : {1, 31, 32, 33, 64, 96, 128, 1000}) {
        for (const int n : {1, 64, 100, 192}) {
            for (const int k : {2, 3, 64}) {
                const gemm_shape s{.m = m, .n = n, .k = k};
                CAPTURE(m);
                CAPTURE(n);
                CAPTURE(k);
                bool any = m >= 32;  // below, the other template's
                try {
                    (void)tk::kernels::detail::dense_large_cuda_space(s);
                } catch (const std::invalid_argument&) {
                    any = false;
                }
                CHECK(tk::kernels::detail::has_dense_large_cuda(s) == any);
                with += any;
            }
        }
    }
    CHECK(with > 0);
    CHECK_FALSE(tk::kernels::detail::has_dense_large_cuda({.batch = 2, .m = 64, .n = 64, .k = 64}));
}

TEST_CASE("every tile of a sampled configuration multiplies to its axis")
{
    const auto product = [](const ints& t) {
        int p = 1;
        for (const int x : t) p *= x;
        return p;
    };
    const conv2d_shape s = shape_of("R6");
    const auto space = tk::kernels::detail::conv2d_cuda_space(s);
    tk::random::philox gen(1);
    for (const auto i : space.sample(2000, gen)) {
        const auto c = space.at(i);
        REQUIRE(product(tk::get<"tile_f">(c)) == s.co);
        REQUIRE(product(tk::get<"tile_y">(c)) == s.oh());
        REQUIRE(product(tk::get<"tile_x">(c)) == s.ow());
        REQUIRE(product(tk::get<"tile_rc">(c)) == s.ci);
        REQUIRE(space.index_of(c) == i);
    }
}

TEST_CASE("a static check names the first limit that is broken")
{
    CHECK_FALSE(tk::kernels::detail::exceeds({.threads_x = 32, .threads_y = 32, .shared_bytes = 49152}));
    CHECK(tk::kernels::detail::exceeds({.threads_x = 64, .threads_y = 32}) ==
          "threads per block is 2048, want at most 1024");
    CHECK(tk::kernels::detail::exceeds({.threads_z = 65}) == "threadIdx.z is 65, want at most 64");
    CHECK(tk::kernels::detail::exceeds({.shared_bytes = 49153}) ==
          "shared memory in bytes is 49153, want at most 49152");
    // 7 x 7 kernel, stride 2: 3 input channels, 8 x 8 outputs need 21 x 21 inputs; 16 output channels.
    const conv2d_shape s = shape_of("R1");
    const auto space = tk::kernels::detail::conv2d_cuda_space(s);
    auto c = space.at(0);
    tk::get<"tile_f">(c) = {4, 1, 8, 2};
    tk::get<"tile_y">(c) = tk::get<"tile_x">(c) = {14, 2, 2, 2};
    tk::get<"tile_rc">(c) = {1, 3};
    tk::get<"tile_ry">(c) = tk::get<"tile_rx">(c) = {1, 7};
    const auto use = tk::kernels::detail::conv2d_cuda_usage(s, c);
    CHECK(use.threads() == 32);
    CHECK(use.shared_bytes == 4 * (3 * 21 * 21 + 16 * 3 * 49));
    CHECK(use.accumulators == 2 * 4 * 4);
}

TEST_CASE("TVM's untuned convolution takes whole vectors and fits its registers")
{
    const auto r2 = at::conv2d_x86_fallback(shape_of("R2"), 16);
    CHECK(r2.oc == 16);
    CHECK(r2.ic == 16);
    CHECK(r2.ow == 28);
    const auto r1 = at::conv2d_x86_fallback(shape_of("R1"), 8);
    CHECK(r1.ic == 3);
    CHECK(r1.ow == 28);
    const auto r8 = at::conv2d_x86_fallback(shape_of("R8"), 8);
    CHECK(r8.ow == 14);
    CHECK(r8.oh == 2);
}

TEST_CASE("templates refuse shapes they are not for")
{
    CHECK_THROWS_AS((void)tk::kernels::detail::winograd_of(shape_of("R4")), std::invalid_argument);
    CHECK_THROWS_AS((void)tk::kernels::detail::conv2d_x86_space(shape_of("R3")), std::invalid_argument);
    CHECK_THROWS_AS((void)tk::kernels::detail::pointwise_x86_space(shape_of("R2")), std::invalid_argument);
}
