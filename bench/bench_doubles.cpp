// SPDX-License-Identifier: MIT
// Direct convolutions of ResNet-18 in double precision against a product of the unfolded input (im2col) by OpenBLAS and by
// Eigen; oneDNN has none in double precision. Random configurations are tried for some seconds, then the best of them, the
// untuned one and the peers run in interleaved rounds on the thread's CPU clock. The blocked layouts are not converted.

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "bench/support/begin_honestly.hpp"
#include "bench/support/cpu_peers.hpp"
#include "bench/support/field.hpp"
#include "programs/product_tables.hpp"
#include "tunekit/kernels/conv2d/blocked.hpp"
#include "tunekit/kernels/conv2d/blocked_space.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/kernels/workloads.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/stats/quantile.hpp"

namespace {

namespace tk = tunekit;
using namespace tk::kernels;
using kernel_type = basic_conv2d_kernel<formats::fp64>;
using doubles = std::vector<double>;

/// One column per output pixel: the inputs of its window.
void unfold(const conv2d_shape& s, const double* x, double* to)
{
    for (int i = 0; i < s.ci; ++i)
        for (int r = 0; r < s.kernel_h; ++r)
            for (int t = 0; t < s.kernel_w; ++t)
                for (int p = 0; p < s.oh(); ++p) {
                    const int h = p * s.stride_h + r - s.padding_h;
                    for (int q = 0; q < s.ow(); ++q) {
                        const int w = q * s.stride_w + t - s.padding_w;
                        const bool inside = h >= 0 && h < s.height && w >= 0 && w < s.width;
                        *to++ = inside ? x[(std::ptrdiff_t{i} * s.height + h) * s.width + w] : 0;
                    }
                }
}

void compare(const conv2d_layer& layer, double seconds, int rounds)
{
    const conv2d_shape& s = layer.shape;
    tk::random::philox gen(1);
    const auto of = [](std::int64_t n) { return static_cast<std::size_t>(n); };
    doubles x(of(s.inputs())), w(of(s.weights())), plain(of(s.outputs()));
    for (double& e : x) e = 2 * tk::random::uniform_01(gen) - 1;
    for (double& e : w) e = 2 * tk::random::uniform_01(gen) - 1;

    struct candidate {
        kernel_type kernel;
        doubles x, y;
        void run() { kernel.run(x.data(), y.data()); }
    };
    const auto made = [&](const conv2d_config& config) {
        candidate c{kernel_type(s, config, fp64_table(), w), doubles(x.size()), {}};
        c.kernel.pack_input(x, c.x);
        c.y.resize(c.kernel.output_size());
        c.run();
        return std::make_shared<candidate>(std::move(c));
    };
    const auto space = conv2d_space(s, fp64_table());
    conv2d_config best = default_config(s, fp64_table());
    double least = 1e9, spent = 0;
    std::size_t tried = 0;
    for (conv2d_config next = best; spent < seconds;
         next = conv2d_config_of(space.at(space.sample(1, gen)[0])), ++tried) {
        spent += bench::seconds_of([&] {
            const auto c = made(next);
            for (int k = 0; k < 3; ++k)
                if (const double took = bench::seconds_of([&] { c->run(); }); took < least) {
                    least = took;
                    best = next;
                }
        });
    }

    const int pixels = s.oh() * s.ow(), depth = s.ci * s.kernel_h * s.kernel_w;
    const bool as_it_is = s.kernel_h == 1 && s.kernel_w == 1 && s.stride_h == 1 && s.stride_w == 1;
    doubles unfolded(of(std::int64_t{depth} * pixels));
    const auto columns = [&] {
        if (as_it_is) return x.data();
        unfold(s, x.data(), unfolded.data());
        return unfolded.data();
    };
    const auto tuned = made(best), untuned = made(default_config(s, fp64_table()));
    using matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    std::vector<bench::contestant> field{
        {"tuned", [&] { tuned->run(); }},
        {"untuned", [&] { untuned->run(); }},
        {"im2col, OpenBLAS", [&] { bench::blas_product(s.co, pixels, depth, w.data(), columns(), plain.data()); }},
        {"im2col, Eigen", [&] {
             const double* const c = columns();
             Eigen::Map<matrix>(plain.data(), s.co, pixels).noalias() =
                 Eigen::Map<const matrix>(w.data(), s.co, depth) * Eigen::Map<const matrix>(c, depth, pixels);
         }}};
    const auto took = bench::interleaved(field, rounds);
    doubles ours(plain.size());
    tuned->kernel.unpack_output(tuned->y, ours);
    if (relative_error(ours, plain) > 1e-12) {
        std::fprintf(stderr, "bench_doubles: %s differs from its peers\n", std::string(layer.name).c_str());
        std::exit(1);
    }
    const auto rate = [&](std::size_t i) { return 2e-9 * static_cast<double>(s.macs()) / tk::stats::median(took[i]); };
    const std::size_t peer = rate(2) > rate(3) ? 2 : 3;
    const auto ratio = bench::ratio_of(took[peer], took[0]);
    std::printf("| %s | %.1f | %.1f | %.1f | %.1f | %.3f [%.3f, %.3f] | %zu |\n", std::string(layer.name).c_str(),
                rate(0), rate(1), rate(2), rate(3), ratio.median, ratio.low, ratio.high, tried);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv)
{
    const double seconds = argc > 1 ? std::atof(argv[1]) : 3;
    if (!(seconds > 0) || argc > 2) {
        std::fprintf(stderr, "bench_doubles [SECONDS]: want a number > 0, the seconds of tuning a layer\n");
        return 2;
    }
    bench::begin_honestly(argv);
    std::printf(
        "| layer | tuned, GFLOP/s | untuned | im2col, OpenBLAS | im2col, Eigen | of the better peer | tried |\n");
    for (const conv2d_layer& layer : resnet18) compare(layer, seconds, 31);
}
