// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Matrix products of many shapes over one space: what a library of products is tuned with.

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "packages/kernels/operators/product_operators.hpp"
#include "packages/kernels/table/kernel_table.hpp"
#include "tunekit/kernels/gemm/space.hpp"
#include "tunekit/kernels/shapes.hpp"

namespace programs {

/// The space that the products of all shapes share, so that a configuration found at one can run at another: that of the
/// largest. A kernel cuts its blocks, and the rows of its tiles, to the shape.
inline auto gemm_family_space()
{
    return tunekit::kernels::gemm_space({.m = 4096, .n = 4096, .k = 4096}, kernel_table());
}

/// 64 products: those of transformer encoders of width 512, 768 and 1024 for one, 16 and 128 tokens, their attention heads, and
/// sizes from 1 to 4096 that nobody would choose, at most 2e9 operations each.
inline std::vector<tunekit::kernels::gemm_shape> gemm_family()
{
    std::vector<tunekit::kernels::gemm_shape> out;
    for (const int d : {512, 768, 1024})
        for (const int s : {1, 16, 128}) {
            out.push_back({.m = s, .n = 3 * d, .k = d});
            out.push_back({.m = s, .n = d, .k = d});
            out.push_back({.m = s, .n = 4 * d, .k = d});
            out.push_back({.m = s, .n = d, .k = 4 * d});
        }
    for (const int s : {128, 384}) {
        out.push_back({.m = s, .n = s, .k = 64});
        out.push_back({.m = s, .n = 64, .k = s});
    }
    using sizes = std::array<int, 3>;
    for (const auto& [m, n, k] :
         {sizes{7, 7, 7},          sizes{31, 31, 31},    sizes{64, 64, 64},    sizes{100, 100, 100},
          sizes{129, 129, 129},    sizes{256, 256, 256}, sizes{255, 257, 253}, sizes{512, 512, 512},
          sizes{1000, 1000, 1000}, sizes{7, 129, 4096},  sizes{129, 7, 4096},  sizes{4096, 7, 129},
          sizes{4096, 129, 7},     sizes{7, 4096, 129},  sizes{129, 4096, 7},  sizes{1, 4096, 4096},
          sizes{4096, 1, 4096},    sizes{1, 1, 4096},    sizes{4096, 4096, 1}, sizes{33, 1000, 2048},
          sizes{1, 1000, 512},     sizes{4096, 64, 64},  sizes{64, 4096, 64},  sizes{64, 64, 4096}})
        out.push_back({.m = m, .n = n, .k = k});
    return out;
}

/// 96 products to learn from, none of them in `gemm_family` but 64 x 64 x 64, which is here twice: encoders of other widths for other numbers of tokens, and sizes
/// spread over 1 to 4096 by a low-discrepancy sequence in their logarithms, at most 5e8 operations each.
/// Source: Halton (1960), On the efficiency of certain quasi-random sequences of points.
inline std::vector<tunekit::kernels::gemm_shape> gemm_training_family()
{
    std::vector<tunekit::kernels::gemm_shape> out;
    for (const int d : {384, 640, 1280})
        for (const int s : {1, 8, 64}) {
            out.push_back({.m = s, .n = 3 * d, .k = d});
            out.push_back({.m = s, .n = d, .k = d});
            out.push_back({.m = s, .n = 4 * d, .k = d});
            out.push_back({.m = s, .n = d, .k = 4 * d});
        }
    for (const int s : {64, 192}) {
        out.push_back({.m = s, .n = s, .k = 64});
        out.push_back({.m = s, .n = 64, .k = s});
    }
    const auto known = gemm_family();
    const auto size = [](int i, int base) {
        double u = 0, part = 1;
        for (; i > 0; i /= base) u += (part /= base) * (i % base);
        return static_cast<int>(std::lround(std::exp2(12 * u)));
    };
    for (int i = 1; out.size() < 96; ++i) {
        const tunekit::kernels::gemm_shape s{.m = size(i, 2), .n = size(i, 3), .k = size(i, 5)};
        if (s.flops() <= 5e8 && std::find(known.begin(), known.end(), s) == known.end() &&
            std::find(out.begin(), out.end(), s) == out.end())
            out.push_back(s);
    }
    return out;
}

/// A product whose configurations are those of the family.
class family_gemm_operator : public gemm_operator {
public:
    static auto space(const shape_type&, tunekit::kernels::hazards) { return gemm_family_space(); }
    using gemm_operator::gemm_operator;
};

}  // namespace programs
