// SPDX-License-Identifier: MIT

// Runs a small library of matrix products whose header was generated from recorded results.
//
//     tuned_library [SHAPES [narrow]]  the first SHAPES of the family; all 64 where not said. narrow: as on a machine whose vectors
//                                      are half as long, which has none of the tuned tiles

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <vector>

#include "contest.hpp"
#include "gemm_library.hpp"

#include "packages/kernels/operators/gemm_family.hpp"
#include "packages/kernels/operators/noise.hpp"
#include "packages/kernels/table/kernel_table.hpp"
#include "packages/kernels/table/runs_here.hpp"
#include "tunekit/kernels/gemm/space.hpp"
#include "tunekit/kernels/reference.hpp"

namespace kernels = tunekit::kernels;

namespace {

/// The tiles of half as long vectors.
auto half_width(const kernels::tile_table& table)
{
    std::vector out(table.tiles.begin(), table.tiles.end());
    std::erase_if(out, [&](const auto& t) { return t.vl != table.lanes / 2; });
    return out;
}

int run(std::size_t shapes, const kernels::tile_table& table)
{
    gemm_library library(table);
    double over_untuned = 0, over_blas = 0;
    int wrong = 0, untuned_shapes = 0;
    std::size_t count = 0;
    std::printf("%-22s %10s %10s %10s GFLOP/s\n", "m x n x k", "tuned", "untuned", "OpenBLAS");
    for (const kernels::gemm_shape& s : programs::gemm_family()) {
        if (count == shapes) break;
        ++count;
        const auto a = programs::noise(s.m * s.k, 1), b = programs::noise(s.k * s.n, 2);
        std::vector<float> c(static_cast<std::size_t>(s.m) * static_cast<std::size_t>(s.n));
        library.run(s.m, s.n, s.k, a.data(), b.data(), c.data());
        if (s.macs() < 50000000 && !(kernels::relative_error(c, kernels::reference_gemm(s, a, b)) < 1e-4)) ++wrong;
        untuned_shapes += library.tuned_for(s.m, s.n, s.k) ? 0 : 1;
        kernels::gemm_kernel untuned(s, kernels::default_config(s, table), table);
        contestant ours, plain, blas;
        for (int round = 0; round < 5; ++round) {
            ours.run([&] { library.run(s.m, s.n, s.k, a.data(), b.data(), c.data()); });
            plain.run([&] { untuned.run(a.data(), b.data(), c.data()); });
            blas.run([&] {
                cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, s.m, s.n, s.k, 1, a.data(), s.k, b.data(), s.n,
                            0, c.data(), s.n);
            });
        }
        over_untuned += std::log(plain.best / ours.best);
        over_blas += std::log(blas.best / ours.best);
        std::printf("%4d x %4d x %4d     %10.1f %10.1f %10.1f\n", s.m, s.n, s.k, s.flops() / ours.best / 1e9,
                    s.flops() / plain.best / 1e9, s.flops() / blas.best / 1e9);
    }
    const auto n = static_cast<double>((std::max)(count, std::size_t{1}));
    std::printf("geometric mean over %zu shapes: %.3f times as fast as untuned, %.3f times as OpenBLAS; %d wrong\n",
                count, std::exp(over_untuned / n), std::exp(over_blas / n), wrong);
    if (untuned_shapes > 0)
        std::printf("%d shapes ran untuned: the results are of a machine with other vectors, tune on this one\n",
                    untuned_shapes);
    return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv)
{
    if (!programs::table_runs_here()) {
        std::fprintf(stderr,
                     "tuned_library: its kernels need vector instructions that this processor lacks, build it here\n");
        return 3;
    }
    begin_honestly(argv);
    try {
        kernels::tile_table table = kernel_table();
        const auto half = half_width(table);
        if (argc > 2 && std::strcmp(argv[2], "narrow") == 0) {
            table.tiles = half;
            table.lanes /= 2;
        }
        return run(argc > 1 ? static_cast<std::size_t>(std::atoi(argv[1])) : ~std::size_t{0}, table);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 2;
    }
}
