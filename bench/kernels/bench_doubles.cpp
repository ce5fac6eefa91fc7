// SPDX-License-Identifier: MIT
// Direct convolutions of ResNet-18 in double precision against a product of the unfolded input (im2col) by OpenBLAS and by
// Eigen; oneDNN has none in double precision. Random configurations are tried for some seconds, then the best of them, the
// untuned one and the peers run in interleaved rounds on the thread's CPU clock. The blocked layouts are not converted.

#include <CLI/CLI.hpp>
#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "bench/kernels/support/begin_honestly.hpp"
#include "bench/kernels/support/cpu_peers.hpp"
#include "bench/kernels/support/field.hpp"
#include "bench/kernels/support/kernel_report.hpp"
#include "packages/kernels/table/product_tables.hpp"
#include "tools/support/program.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/kernels/conv2d/blocked.hpp"
#include "tunekit/kernels/conv2d/space.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/kernels/workloads.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/stats/quantile.hpp"

namespace {

namespace tk = tunekit;
using namespace tk::kernels;
using kernel_type = conv2d_kernel<formats::fp64>;
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

bench::row compare(const layer<conv2d_shape>& layer, double seconds, int rounds)
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
    const auto tried = [&](tk::index i) { return made(config_of<conv2d_config>(space.at(i))); };
    tk::index best = *index_of(space, default_config(s, fp64_table()));
    double least = 1e9, spent = 0;
    for (tk::index next = best; spent < seconds; next = space.sample(1, gen)[0]) {
        spent += bench::seconds_of([&] {
            const auto c = tried(next);
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
    const auto tuned = tried(best), untuned = made(default_config(s, fp64_table()));
    using matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    std::vector<bench::contestant> field{
        {"tuned", [&] { tuned->run(); }},
        {"untuned", [&] { untuned->run(); }},
        {"openblas_im2col", [&] { bench::blas_product(s.co, pixels, depth, w.data(), columns(), plain.data()); }},
        {"eigen_im2col", [&] {
             const double* const c = columns();
             Eigen::Map<matrix>(plain.data(), s.co, pixels).noalias() =
                 Eigen::Map<const matrix>(w.data(), s.co, depth) * Eigen::Map<const matrix>(c, depth, pixels);
         }}};
    const auto took = bench::interleaved(field, rounds);
    doubles ours(plain.size());
    tuned->kernel.unpack_output(tuned->y, ours);
    tk::require(relative_error(ours, plain) <= 1e-12, std::string(layer.name) + " differs from its peers");
    const auto rate = [&](std::size_t i) { return 2e-9 * static_cast<double>(s.macs()) / tk::stats::median(took[i]); };
    const std::size_t peer = rate(2) > rate(3) ? 2 : 3;
    return {.layer = std::string(layer.name),
            .ours = {{"direct", space.text(best), rate(0), rate(1)}},
            .peers = {{field[2].name, rate(2)}, {field[3].name, rate(3)}},
            .comparisons = {{"direct", "direct", "best_peer", bench::ratio_of(took[peer], took[0]), field[peer].name}}};
}

}  // namespace

int main(int argc, char** argv)
{
    bench::begin_honestly(argv);
    double seconds = 3;
    bool json = false;
    CLI::App app("Direct convolutions of ResNet-18 in double precision against products of the unfolded input.",
                 "bench_doubles");
    app.add_option("--seconds", seconds, "of trying configurations of each layer")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    app.add_flag("--json", json, "print JSON");
    return programs::run_program(app, argc, argv, [&] {
        std::vector<bench::row> rows;
        for (const auto& layer : find_network("resnet18")->convolutions) {
            rows.push_back(compare(layer, seconds, 31));
            if (!json) bench::print_row(rows.back());
        }
        if (json) std::printf("%s\n", bench::to_json(rows).c_str());
        else bench::print_summaries(rows);
    });
}
