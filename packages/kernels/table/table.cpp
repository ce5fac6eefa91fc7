// SPDX-License-Identifier: MIT
#include <vector>

#include "packages/kernels/table/families.hpp"
#include "packages/kernels/table/kernel_table.hpp"
#include "packages/kernels/table/runs_here.hpp"

namespace tk = tunekit::kernels;
namespace families = programs::families;

const tk::tile_table& kernel_table()
{
    static const std::vector<tk::detail::tile<>> tiles = [] {
        std::vector<tk::detail::tile<>> all;
        for (const auto column : {families::tiles_1(), families::tiles_2(), families::tiles_3(), families::tiles_4(),
                                  families::tiles_6(), families::half_tiles_2()})
            all.insert(all.end(), column.begin(), column.end());
        return all;
    }();
    static const tk::tile_table table = [] {
        auto all = tk::make_table(tiles);
        all.winograd = families::winograd();
        all.dense = families::dense();
        all.depthwise = families::depthwise();
        all.sweeps = families::depthwise_sweeps();
        return all;
    }();
    return table;
}

bool programs::table_runs_here()
{
    bool all = true;
#if defined(__x86_64__) && defined(__AVX2__)
    all = all && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
#if defined(__x86_64__) && defined(__AVX512F__)
    all = all && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
          __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
#endif
#if defined(__x86_64__) && defined(__AVX512VBMI__)
    all = all && __builtin_cpu_supports("avx512vbmi");
#endif
#if defined(__x86_64__) && defined(__AVX512VNNI__)
    all = all && __builtin_cpu_supports("avx512vnni");
#endif
#if defined(__x86_64__) && defined(__AVX512BF16__)
    all = all && __builtin_cpu_supports("avx512bf16");
#endif
    return all;
}
