// SPDX-License-Identifier: MIT
// AutoTVM's templates in OpenCL C on a device: verified against the definition, and tuned. PoCL is enough, and slow to compile:
// shapes are small.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tunekit/devices/opencl/measurer.hpp"
#include "tunekit/kernels/autotvm/opencl_source.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;
namespace ms = tunekit::measure;
namespace at = tunekit::kernels::autotvm;

namespace {

std::vector<float> drawn(std::int64_t n, tk::random::philox& gen)
{
    std::vector<float> out(static_cast<std::size_t>(n));
    for (float& x : out) x = static_cast<float>(tk::random::uniform_01(gen) - 0.5);
    return out;
}

/// W [batch][k][n] as [batch][n][k].
std::vector<float> transposed(const tk::kernels::gemm_shape& s, const std::vector<float>& w)
{
    std::vector<float> out(w.size());
    const auto n = static_cast<std::size_t>(s.n), k = static_cast<std::size_t>(s.k);
    for (std::size_t b = 0; b < static_cast<std::size_t>(s.batch); ++b)
        for (std::size_t l = 0; l < k; ++l)
            for (std::size_t j = 0; j < n; ++j) out[(b * n + j) * k + l] = w[(b * k + l) * n + j];
    return out;
}

/// Tunes `what` on the first device. Every configuration that runs is compared with `want`.
template <class Template>
void tunes(const Template& what, const std::vector<float>& left, const std::vector<float>& right,
           const std::vector<float>& want, std::uint64_t trials)
{
    const auto device = ms::find_opencl_device();
    ms::opencl_operands data;
    data.input(std::span<const float>(left));
    data.input(std::span<const float>(right));
    data.output(std::span<const float>(want), {.absolute = 1e-5});  // sums of at most 72 products below 1/4
    auto measure = ms::opencl_measurer(what, ms::opencl_builder({.device = device}), data, ms::fixed{.runs = 3},
                                       {.device = device});
    tk::random::philox gen(4);
    const tk::recipe how{tk::search::annealing{}, ms::fixed{}, {.max_run_seconds = 60, .max_build_seconds = 45}, 1};
    const auto found = tk::tune(what.space, measure, how, {.trials = trials}, gen);
    std::size_t good = 0;
    for (const auto& t : found.trials()) {
        if (t.measured.ok()) {
            ++good;
            CHECK(t.measured.cost > 0);
            continue;
        }
        REQUIRE(t.measured.failed);
        // What static checks refuse, and what PoCL takes too long over; no wrong result, nothing that does not compile.
        CHECK_MESSAGE((t.measured.failed->kind == ms::failure_kind::invalid ||
                       t.measured.failed->kind == ms::failure_kind::build_timeout),
                      t.measured.failed->message);
    }
    CHECK(good >= 2);
    REQUIRE(found.found());
    MESSAGE(device.name << ": best of " << good << " " << 1e6 * found.incumbent().measured.cost << " us");
}

}  // namespace

TEST_CASE("batched products are tuned, and each configuration that runs computes the definition")
{
    const tk::kernels::gemm_shape s{.batch = 2, .m = 24, .n = 20, .k = 36};
    tk::random::philox gen(2);
    const auto a = drawn(std::int64_t{s.batch} * s.m * s.k, gen), b = drawn(std::int64_t{s.batch} * s.k * s.n, gen);
    const auto what = at::batched_gemm_opencl_template(s, at::cuda_limits::of(ms::find_opencl_device()));
    tunes(what, a, transposed(s, b), tk::kernels::reference_gemm(s, a, b), 6);
}

TEST_CASE("direct convolutions are tuned, and each configuration that runs computes the definition")
{
    const tk::kernels::conv2d_shape s{.ci = 8,
                                      .height = 9,
                                      .width = 9,
                                      .co = 6,
                                      .kernel_h = 3,
                                      .kernel_w = 3,
                                      .stride_h = 2,
                                      .stride_w = 2,
                                      .padding_h = 1,
                                      .padding_w = 1};
    tk::random::philox gen(3);
    const auto x = drawn(s.inputs(), gen), w = drawn(s.weights(), gen);
    const auto what = at::conv2d_opencl_template(s, {.threads = 64});
    tunes(what, x, w, tk::kernels::reference_conv2d(s, x, w), 6);
}
