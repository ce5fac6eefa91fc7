// SPDX-License-Identifier: MIT
// The default and 20 sampled configurations of every bundled kernel against its definition, between pages without access. A plain program, so
// that a cross compiler needs nothing but our headers.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include "packages/kernels/table/kernel_table.hpp"
#include "tunekit/kernels/conv2d/choice.hpp"
#include "tunekit/kernels/conv2d/nchw.hpp"
#include "tunekit/kernels/conv2d/space.hpp"
#include "tunekit/kernels/dense/dense.hpp"
#include "tunekit/kernels/dense/space.hpp"
#include "tunekit/kernels/gemm/gemm.hpp"
#include "tunekit/kernels/gemm/space.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/processes/guarded_buffer.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace tk = tunekit;
using namespace tk::kernels;
using guarded = tk::measure::guarded_buffer<float>;

namespace {

int checked = 0, wrong = 0;

std::vector<float> noise(std::int64_t n, std::uint64_t seed)
{
    tk::random::philox gen(seed);
    std::vector<float> out(static_cast<std::size_t>(n));
    for (float& x : out) x = static_cast<float>(2 * tk::random::uniform_01(gen) - 1);
    return out;
}

void copy(std::span<const float> from, guarded& to) { std::copy(from.begin(), from.end(), to.span().begin()); }

void expect(const char* kernel, tk::index which, std::span<const float> got, std::span<const float> want)
{
    ++checked;
    const double error = relative_error(got, want);
    if (error < 1e-4) return;
    ++wrong;
    std::printf("%s, configuration %llu: error %.2g\n", kernel, static_cast<unsigned long long>(which), error);
}

/// The default's index and 20 others.
template <class Space, class Config>
std::vector<tk::index> some(const Space& space, const Config& untuned)
{
    tk::random::philox gen(7);
    auto out = space.sample(20, gen);
    out.push_back(index_of(space, untuned).value());
    return out;
}

void convolutions(const conv2d_shape& s)
{
    const auto& table = kernel_table();
    const auto x = noise(s.inputs(), 1), w = noise(s.weights(), 2), want = reference_conv2d(s, x, w);
    {
        const auto space = any_conv2d_space(s, table);
        for (const tk::index i : some(space, any_conv2d_config(default_config(s, table)))) {
            any_conv2d_kernel kernel(s, config_of<any_conv2d_config>(space.at(i)), table, w);
            guarded in(kernel.input_size()), out(kernel.output_size());
            std::vector<float> y(want.size());
            kernel.pack_input(x, in.span());
            kernel.run(in.data(), out.data());
            kernel.unpack_output(out.span(), y);
            // F(8 x 8) is a wrong configuration, which verification is there to reject.
            const auto c = space.at(i);
            const bool coarse = tk::get<"algorithm">(c) == conv2d_algorithm::winograd &&
                                (std::max)(tk::get<"tile_h">(c), tk::get<"tile_w">(c)) > 6;
            if (!coarse) expect("conv2d", i, y, want);
        }
    }
    const auto space = conv2d_nchw_space(s, table);
    guarded in(x.size()), out(want.size());
    copy(x, in);
    for (const tk::index i : some(space, default_config<nchw_config>(s, table))) {
        nchw_kernel(s, config_of<nchw_config>(space.at(i)), table, w).run(in.data(), out.data());
        expect("conv2d_nchw", i, out.span(), want);
    }
}

void product(const gemm_shape& s)
{
    const auto& table = kernel_table();
    const auto d = gemm_strides::dense(s);
    const auto a = noise(s.batch * d.batch_a, 3), b = noise(s.batch * d.batch_b, 4), want = reference_gemm(s, a, b);
    guarded in(a.size()), weights(b.size()), out(want.size());
    copy(a, in);
    copy(b, weights);
    if (s.batch == 1 && s.m <= dense_kernel::max_rows) {
        const auto space = dense_space(s, table);
        for (const tk::index i : some(space, default_config<dense_config>(s, table))) {
            dense_kernel(s, config_of<dense_config>(space.at(i)), table, weights.span()).run(in.data(), out.data());
            expect("dense", i, out.span(), want);
        }
    }
    const auto space = gemm_space(s, table);
    for (const tk::index i : some(space, default_config(s, table))) {
        gemm_kernel(s, config_of<gemm_config>(space.at(i)), table).run(in.data(), weights.data(), out.data());
        expect("gemm", i, out.span(), want);
    }
}

}  // namespace

int main()
{
    convolutions(square_conv2d(16, 14, 24, 3, 1, 1));
    convolutions(square_conv2d(3, 23, 16, 7, 2, 3));
    convolutions(square_conv2d(12, 9, 20, 1, 1, 0));
    product({.m = 37, .n = 61, .k = 50});
    product({.batch = 3, .m = 16, .n = 24, .k = 33});
    product({.m = 1, .n = 100, .k = 77});
    product({.m = 5, .n = 70, .k = 19});
    std::printf("%d lanes: %d configurations, %d wrong\n", kernel_table().lanes, checked, wrong);
    return wrong == 0 ? 0 : 1;
}
