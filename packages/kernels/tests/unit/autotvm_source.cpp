// SPDX-License-Identifier: MIT
#include "tunekit/kernels/autotvm/x86.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "packages/kernels/tests/unit/support.hpp"
#include "tunekit/kernels/autotvm/x86_layout.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/processes/build/builder.hpp"
#include "tunekit/processes/build/generated_kernel.hpp"
#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
namespace at = tunekit::kernels::autotvm;
using tk::kernels::conv2d_shape;
using tk::kernels::gemm_shape;
using tk::measure::source;

namespace {

using conv2d_function = void(const float*, const float*, float*, float*);
using gemm_function = void(const float*, const float*, float*);

tk::measure::builder& pool()
{
    static tk::measure::builder one({.flags = {"-O1", "-march=native"}, .processes = 2, .together = 8});
    return one;
}

/// Builds a sample of a template's configurations and hands each to `run(function, configuration)`.
template <class Signature, class Template, class Run>
void each_of(const Template& what, std::size_t n, Run&& run)
{
    tk::random::philox gen(11);
    std::vector<source> sources;
    const auto sample = what.space.sample(n, gen);
    for (const auto i : sample) sources.push_back(what.source_of(what.space.at(i)));
    pool().submit(sources, what.entry, 60);
    for (std::size_t i = 0; i < n; ++i) {
        const std::string key = pool().cache().key(sources[i], what.entry);
        const auto built = pool().wait(key);
        CAPTURE(sources[i].text);
        REQUIRE_MESSAGE(!built.failed, (built.failed ? built.failed->message : ""));
        const tk::measure::loaded_code code(pool().cache().path(key));
        run(*code.function<Signature>(tk::measure::build_cache::symbol(key)), what.space.at(sample[i]));
    }
}

template <class Template>
void convolves(const conv2d_shape& s, const Template& what, std::size_t n)
{
    tk::random::philox gen(1);
    const auto x = uniform_floats(s.inputs(), gen);
    const auto w = uniform_floats(s.weights(), gen);
    const auto want = tk::kernels::reference_conv2d(s, x, w);
    const guarded y(want.size());
    const guarded frame(
        static_cast<std::size_t>(s.batch * s.ci * (s.height + 2 * s.padding_h) * (s.width + 2 * s.padding_w)));
    each_of<conv2d_function>(what, n, [&](conv2d_function& run, const auto& c) {
        const int ic = tk::get<"tile_ic">(c)[1];
        const int oc = tk::get<"tile_oc">(c)[1];
        y.fill(1e9F);
        frame.fill(1e9F);
        run(at::blocked(x, s.batch, s.ci, s.height * s.width, ic).data(), at::blocked(w, s, ic, oc).data(), y.data(),
            frame.data());
        const auto got = at::unblocked(y.span(), s.batch, s.co, s.oh() * s.ow(), oc);
        CHECK(tk::kernels::relative_error(got, want) < 1e-5);
    });
}

/// C = A W^T for W [n][k], by the definition.
struct product {
    explicit product(const gemm_shape& shape) : s(shape)
    {
        tk::random::philox gen(2);
        a = uniform_floats(std::int64_t{1} * s.batch * s.m * s.k, gen);
        w = uniform_floats(std::int64_t{1} * s.batch * s.n * s.k, gen);
        std::vector<float> transposed;
        for (int i = 0; i < s.batch; ++i) {
            const auto size = static_cast<std::size_t>(s.n) * static_cast<std::size_t>(s.k);
            const auto one =
                at::blocked(std::span(w).subspan(static_cast<std::size_t>(i) * size, size), 1, s.n, s.k, s.n);
            transposed.insert(transposed.end(), one.begin(), one.end());
        }
        want = tk::kernels::reference_gemm(s, a, transposed);
    }

    gemm_shape s;
    std::vector<float> a, w, want;
};

}  // namespace

TEST_CASE("sampled convolutions of AutoTVM's template compute the definition: odd sizes, stride, padding on both axes")
{
    const conv2d_shape s{.batch = 2,
                         .ci = 6,
                         .height = 9,
                         .width = 11,
                         .co = 12,
                         .kernel_h = 3,
                         .kernel_w = 2,
                         .stride_h = 1,
                         .stride_w = 2,
                         .padding_h = 2,
                         .padding_w = 1};
    convolves(s, at::conv2d_x86_template(s), 24);
}

TEST_CASE("sampled convolutions without padding compute the definition, in vectors of four")
{
    const conv2d_shape s{.ci = 4, .height = 8, .width = 8, .co = 24, .kernel_h = 3, .kernel_w = 3};
    convolves(s, at::conv2d_x86_template(s, 4), 12);
}

TEST_CASE("sampled 1 x 1 convolutions compute the definition, with an odd number of rows in pairs and a stride")
{
    const conv2d_shape s{.batch = 1, .ci = 12, .height = 9, .width = 15, .co = 20, .stride_h = 2, .stride_w = 2};
    convolves(s, at::pointwise_x86_template(s), 24);
}

TEST_CASE(
    "sampled dense layers with packed weights compute the definition, also where chunks of rows do not divide the tile")
{
    const product p({.m = 24, .n = 36, .k = 20});
    const guarded c(p.want.size());
    each_of<gemm_function>(at::dense_pack_x86_template(p.s), 40, [&](gemm_function& run, const auto& config) {
        c.fill(1e9F);
        run(p.a.data(), at::blocked(p.w, 1, p.s.n, p.s.k, tk::get<"tile_x">(config)[2]).data(), c.data());
        CHECK(tk::kernels::relative_error(c.span(), p.want) < 1e-5);
    });
}

TEST_CASE("sampled batched products compute the definition")
{
    const product p({.batch = 3, .m = 12, .n = 10, .k = 42});
    const guarded c(p.want.size());
    each_of<gemm_function>(at::batched_gemm_x86_template(p.s), 24, [&](gemm_function& run, const auto&) {
        c.fill(1e9F);
        run(p.a.data(), p.w.data(), c.data());
        CHECK(tk::kernels::relative_error(c.span(), p.want) < 1e-5);
    });
}

TEST_CASE("sources are refused where tiles do not fit, and equal configurations have equal text")
{
    const conv2d_shape s{.ci = 4, .height = 8, .width = 8, .co = 8, .kernel_h = 3, .kernel_w = 3};
    CHECK_THROWS_AS((void)tk::kernels::detail::conv2d_x86_source(s, {.ic = 3}), std::invalid_argument);
    CHECK_THROWS_AS((void)tk::kernels::detail::conv2d_x86_source(s, {.oh = 2}), std::invalid_argument);
    CHECK_THROWS_AS((void)tk::kernels::detail::conv2d_x86_source(s, {}, 3), std::invalid_argument);
    CHECK(tk::kernels::detail::conv2d_x86_source(s, {.oc = 8}) == tk::kernels::detail::conv2d_x86_source(s, {.oc = 8}));
    CHECK(tk::kernels::detail::conv2d_x86_source(s, {.oc = 8}) != tk::kernels::detail::conv2d_x86_source(s, {.oc = 4}));
    const gemm_shape g{.m = 1024, .n = 1024, .k = 4};
    CHECK_THROWS_AS((void)tk::kernels::detail::dense_pack_x86_source(g, {1, 1, 512}, {1, 1, 1024}, {1, 4}, 1),
                    std::invalid_argument);
    CHECK_THROWS_AS((void)tk::kernels::detail::dense_pack_x86_source(g, {1, 1, 1024}, {1, 1, 1024}, {1, 4}, 1),
                    std::invalid_argument);
    CHECK_THROWS_AS((void)tk::kernels::detail::batched_gemm_x86_source(g, 3, 1, 1), std::invalid_argument);
}

TEST_CASE("layouts lead back to where they came from, and refuse sizes that are not theirs")
{
    const std::vector<float> plain{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};  // 4 channels of 3 pixels
    const auto packed = at::blocked(plain, 1, 4, 3, 2);
    CHECK(packed == std::vector<float>{0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11});
    CHECK(at::unblocked(packed, 1, 4, 3, 2) == plain);
    CHECK_THROWS_AS((void)at::blocked(plain, 1, 4, 3, 3), std::invalid_argument);
    CHECK_THROWS_AS((void)at::blocked(plain, 2, 4, 3, 2), std::invalid_argument);
    CHECK_THROWS_AS((void)at::blocked(plain, {.ci = 5}, 2, 1), std::invalid_argument);
}
