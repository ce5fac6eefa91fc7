// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Matrix products for present GPUs: asynchronous copies in stages, tensor cores, swizzled shared memory.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/kernels/autotvm/cuda.hpp"
#include "tunekit/kernels/detail/cuda_gemm_text.hpp"
#include "tunekit/kernels/detail/cuda_text.hpp"
#include "tunekit/kernels/shapes.hpp"
#include "tunekit/processes/build/device_source.hpp"
#include "tunekit/processes/build/source_template.hpp"
#include "tunekit/space/product.hpp"

namespace tunekit::kernels {

/// The arithmetic of the products. Sums are in fp32.
enum class cuda_arithmetic {
    fp32,  ///< float operands, no tensor cores
    tf32,  ///< float operands, rounded to the nearest of 10 bits of fraction instead of 23
    bf16,  ///< operands of 16 bits: the upper halves of floats
    fp16,  ///< operands of half precision
};

namespace detail {

/// The layout of rows in shared memory.
enum class cuda_layout {
    plain,     ///< one after another: reads of neighbouring rows have bank conflicts
    padded,    ///< 16 bytes between rows
    swizzled,  ///< 16-byte parts of a row are exchanged according to the row's number
};

/// The resources that a kernel of `cuda_gemm_space` may use: compute capability 8.0.
inline constexpr autotvm::cuda_limits async_cuda_limits{.shared_bytes = 163 * 1024};

/// The number of bytes of one element of an operand.
[[nodiscard]] constexpr int element_bytes(cuda_arithmetic a) noexcept
{
    return a == cuda_arithmetic::bf16 || a == cuda_arithmetic::fp16 ? 2 : 4;
}

[[nodiscard]] constexpr std::int64_t cuda_gemm_shared(int block_m, int block_n, int row_bytes, int stages,
                                                      cuda_layout layout) noexcept
{
    return std::int64_t{stages} * (block_m + block_n) * (row_bytes + (layout == cuda_layout::padded ? 16 : 0));
}

/// The space of C = A B^T, A [batch][m][k], B [batch][n][k].
///
/// Throws:     std::invalid_argument where a row of k is no multiple of 4 bytes.
[[nodiscard]] inline auto cuda_gemm_space(const gemm_shape& s, cuda_arithmetic how,
                                          const autotvm::cuda_limits& limits = async_cuda_limits)
{
    require_valid(s);
    const std::int64_t bytes = std::int64_t{s.k} * element_bytes(how);
    require(bytes % 4 == 0, "cuda_gemm_space: k is odd, want an even number of elements of 16 bits");
    std::vector<int> vectors;
    for (const int v : {4, 8, 16})
        if (bytes % v == 0) vectors.push_back(v);
    return space::product{
        space::parameter<"block_m">({16, 32, 64, 128, 256}),
        space::parameter<"block_n">({16, 32, 64, 128, 256}),
        space::parameter<"row_bytes">({32, 64, 128, 256}),
        space::parameter<"warps_m">({1, 2, 4, 8}),
        space::parameter<"warps_n">({1, 2, 4, 8}),
        space::parameter<"stages">({1, 2, 3, 4, 5, 6}),
        space::parameter<"vector">(vectors),
        space::parameter<"layout">({cuda_layout::plain, cuda_layout::padded, cuda_layout::swizzled}),
        space::parameter<"raster">({1, 2, 4, 8, 16}),
        space::parameter<"unroll">({1, 2, 4}),
        space::where<"block_m", "warps_m">([](int block, int warps) { return block >= 16 * warps; }),
        space::where<"block_n", "warps_n">([](int block, int warps) { return block >= 16 * warps; }),
        space::where<"row_bytes", "unroll">(
            [step = how == cuda_arithmetic::fp32 ? 16 : 32](int row, int unroll) { return unroll * step <= row; }),
        space::where<"warps_m", "warps_n">([t = limits.threads](int m, int n) { return 32 * m * n <= t; }),
        space::where<"block_m", "block_n", "warps_m", "warps_n">([](int bm, int bn, int wm, int wn) {
            return bm * bn <= wm * wn * 32 * 256;  // sums that registers could hold
        }),
        space::where<"block_m", "block_n", "row_bytes", "stages", "layout">(
            [most = limits.shared_bytes](int m, int n, int row, int stages, cuda_layout layout) {
                return cuda_gemm_shared(m, n, row, stages, layout) <= most;
            }),
    };
}

/// The resources of a configuration of `cuda_gemm_space`.
template <class Config>
[[nodiscard]] cuda_usage cuda_gemm_usage(const Config& c)
{
    const int warps = get<"warps_m">(c) * get<"warps_n">(c);
    return {.threads_x = 32 * warps,
            .shared_bytes = cuda_gemm_shared(get<"block_m">(c), get<"block_n">(c), get<"row_bytes">(c),
                                             get<"stages">(c), get<"layout">(c)),
            .accumulators = get<"block_m">(c) * get<"block_n">(c) / (32 * warps)};
}

/// The text of one configuration, in parts.
struct cuda_gemm_text {
    gemm_shape s;
    cuda_arithmetic how;
    int block_m, block_n, row_bytes, warps_m, warps_n, stages, vector;
    cuda_layout layout;
    int raster, unroll;
    bool narrow = false;

    [[nodiscard]] bool tensor() const noexcept { return how != cuda_arithmetic::fp32; }
    [[nodiscard]] int threads() const noexcept { return 32 * warps_m * warps_n; }
    [[nodiscard]] int warp_m() const noexcept { return block_m / warps_m; }
    [[nodiscard]] int warp_n() const noexcept { return block_n / warps_n; }
    /// Fragments of a warp: 16 x 8 sums on tensor cores, else 8 x 4, one per lane.
    [[nodiscard]] int fragments_m() const noexcept { return warp_m() / (tensor() ? 16 : 8); }
    [[nodiscard]] int fragments_n() const noexcept { return warp_n() / (tensor() ? 8 : 4); }
    [[nodiscard]] int depth() const noexcept { return row_bytes / element_bytes(how); }  ///< of k, in one stage
    [[nodiscard]] int steps() const noexcept { return row_bytes / (tensor() ? 32 : 16); }
    [[nodiscard]] int turns(int rows) const noexcept
    {
        return (rows * (row_bytes / vector) + threads() - 1) / threads();
    }
    [[nodiscard]] int pitch() const noexcept { return row_bytes + (layout == cuda_layout::padded ? 16 : 0); }
    [[nodiscard]] int stage_bytes() const noexcept { return (block_m + block_n) * pitch(); }
    /// Operands of a step that are rounded.
    [[nodiscard]] std::int64_t roundings() const noexcept
    {
        return how == cuda_arithmetic::tf32 ? 4 * fragments_m() + 2 * fragments_n() : 0;
    }
    /// Copies, products and stores as they stand in the text.
    [[nodiscard]] std::int64_t statements() const noexcept
    {
        const std::int64_t sums = std::int64_t{fragments_m()} * fragments_n();
        const std::int64_t per_step = tensor() ? sums + fragments_m() + fragments_n() / 2 + roundings()
                                               : 4 * sums + fragments_m() + fragments_n();
        return (stages > 1 ? 2 : 1) * (turns(block_m) + turns(block_n)) + unroll * per_step +
               2 * sums * (tensor() ? 4 : 1);
    }

    /// The copies of one operand from row `first` on.
    [[nodiscard]] std::string copy(std::string_view from, std::string_view to, int rows, int limit,
                                   std::string_view first) const
    {
        const int each = row_bytes / vector, size = rows * each;
        return words()
            .set("from to first turns threads", from, to, first, turns(rows), threads())
            .set("each vector bytes depth k", each, vector, element_bytes(how), depth(), s.k)
            .set("within", within(size, threads()))
            .set("row_valid", limit % rows == 0 ? "" : lines(first, " + row < ", limit, " &&"))
            .set("k_valid", s.k % depth() == 0 ? "true" : lines("at < ", s.k))
            .in(cuda_gemm_copy);
    }

    [[nodiscard]] std::string copies(std::string_view slot) const
    {
        return words()
            .set("slot stage_bytes", slot, stage_bytes())
            .set("copy_a", copy("a", "to", block_m, s.m, "first_row"))
            .set("copy_b", copy("b", lines("to + ", block_m * pitch()), block_n, s.n, "first_column"))
            .in(cuda_gemm_copies);
    }

    [[nodiscard]] std::int64_t blocks(int size, int block) const noexcept { return (size + block - 1) / block; }

    [[nodiscard]] std::string text() const
    {
        const std::int64_t rows = blocks(s.m, block_m), columns = blocks(s.n, block_n), m = s.m, n = s.n, k = s.k;
        const int parts = row_bytes / 16, shift = parts >= 8 ? 0 : parts == 4 ? 1 : 2;
        std::string inside = s.m % block_m == 0 ? "" : lines("row < ", s.m);
        if (s.n % block_n != 0) inside += lines(inside.empty() ? "" : " && ", "column < ", s.n);
        if (!inside.empty()) inside = lines("if (", inside, ")");
        const std::string swizzled =
            lines("((byte / 16 ^ (row >> ", shift, " & ", (std::min)(parts, 8) - 1, ")) * 16 + byte % 16)");
        const auto over = [](const char* i, int size) {
            return lines("#pragma unroll\nfor (int ", i, " = 0; ", i, " < ", size, "; ++", i, ")");
        };
        words w;
        w.set("over_i over_j", over("i", fragments_m()), over("j", fragments_n()));
        w.set("fm fn fn_pairs steps unroll", fragments_m(), fragments_n(), fragments_n() / 2, steps(), unroll)
            .set("product", how == cuda_arithmetic::tf32   ? "tk_mma_tf32"
                            : how == cuda_arithmetic::bf16 ? "tk_mma_bf16"
                                                           : "tk_mma_fp16")
            .set("b_tile", block_m * pitch());
        w.set("round", how == cuda_arithmetic::tf32 ? w.in(cuda_gemm_round) : "");
        words loop;
        loop.set("tiles stages ahead waiting", blocks(s.k, depth()), stages, stages - 1, stages - 2)
            .set("stage_bytes compute", stage_bytes(), w.in(tensor() ? cuda_gemm_tensor : cuda_gemm_plain))
            .set("first_copies copies", copies("next"), copies(stages == 1 ? "0" : lines("next % ", stages)));
        w.set("tiles", loop.in(stages == 1 ? cuda_gemm_in_turn : cuda_gemm_in_stages))
            .set("a_size b_size c_size", m * k, n * k, m * n);
        return w.set("batch", s.batch > 1 ? w.in(cuda_gemm_batch) : "")
            .set("pitch place", pitch(), layout == cuda_layout::swizzled ? swizzled : "byte")
            .set("element", element_bytes(how) == 2 ? "unsigned short" : "float")
            .set("result", narrow ? "unsigned short" : "float")
            .set("stored", !narrow                        ? ""
                           : how == cuda_arithmetic::bf16 ? "tk_nearest_bf16"
                                                          : "tk_nearest_fp16")
            .set("threads warps_n warp_m warp_n", threads(), warps_n, warp_m(), warp_n())
            .set("group raster rows n", raster * columns, raster, rows, s.n)
            .set("block_m block_n inside", block_m, block_n, inside)
            .set("of_lane at_lane", tensor() ? "[4]" : "", tensor() ? "[q]" : "")
            .set("over_lane", tensor() ? "#pragma unroll\nfor (int q = 0; q < 4; ++q)" : "")
            .set("row", tensor() ? "i * 16 + lane / 4 + q / 2 * 8" : "i * 8 + lane / 4")
            .set("column", tensor() ? "j * 8 + lane % 4 * 2 + q % 2" : "j * 4 + lane % 4")
            .in(cuda_gemm_kernel);
    }
};

template <class Config>
[[nodiscard]] measure::device_source cuda_gemm_source(const gemm_shape& s, cuda_arithmetic how, const Config& c,
                                                      const autotvm::cuda_limits& limits = async_cuda_limits,
                                                      bool narrow = false)
{
    require_valid(s);
    const cuda_usage use = cuda_gemm_usage(c);
    if (const auto why = exceeds(use, limits)) invalid("cuda_gemm_source: " + *why);
    const cuda_gemm_text t{s,
                           how,
                           get<"block_m">(c),
                           get<"block_n">(c),
                           get<"row_bytes">(c),
                           get<"warps_m">(c),
                           get<"warps_n">(c),
                           get<"stages">(c),
                           get<"vector">(c),
                           get<"layout">(c),
                           get<"raster">(c),
                           get<"unroll">(c),
                           narrow && element_bytes(how) == 2};
    require_compilable("cuda_gemm_source", t.statements());
    const std::int64_t blocks = t.blocks(s.m, t.block_m) * t.blocks(s.n, t.block_n);
    require(s.batch <= 65535 && blocks <= (std::numeric_limits<std::int32_t>::max)(),
            "cuda_gemm_source: the grid is too large, want a batch of at most 65535 and less than 2^31 tiles");
    return {
        .prologue = cuda_prologue,
        .text = t.text(),
        .launches = {{.grid = {blocks, 1, s.batch}, .block = {t.threads(), 1, 1}, .shared_bytes = use.shared_bytes}},
        .statements = t.statements()};
}

}  // namespace detail

/// Settings of `cuda_gemm_template`, `hopper_gemm_template` and of the choice between them.
struct cuda_gemm_options {
    bool narrow = false;  ///< operands of 16 bits: the nearest numbers of their type are written, else sums in fp32
    autotvm::cuda_limits limits = detail::async_cuda_limits;  ///< what a block of `cuda_gemm_template` may take
    int processors = 132;  ///< of the device: how many persistent blocks `hopper_gemm_template` starts
    bool hopper = false;   ///< `with_cuda_gemm` may choose `hopper_gemm_template`, which no device has run yet
};

/// Matrix products for present GPUs as a template of generated CUDA code, C = A B^T for
/// each of a batch. Any m and n are allowed. Elements beyond them are read as zeros and not written.
///
/// Parameters: block_m, block_n (the block's tile), row_bytes (of k in one stage), warps_m, warps_n, stages (1: loads
///             and computes in turn; else copies run stages - 1 ahead), vector (bytes per copy), layout, raster (rows
///             of blocks that run side by side, for the second-level cache), unroll (steps of k of 32 bytes, in fp32
///             16).
/// Entry:      kernel(const float* a, const float* b, float* c); 16-bit numbers are unsigned short; [batch][m][k],
///             [batch][n][k], [batch][m][n].
/// Errors:     a configuration that a static check refuses, or that unrolls to more than 4096 statements, is
///             std::invalid_argument.
[[nodiscard]] inline auto cuda_gemm_template(const gemm_shape& s, cuda_arithmetic how,
                                             const cuda_gemm_options& set = {})
{
    return measure::source_template{detail::cuda_gemm_space(s, how, set.limits), [s, how, set](const auto& c) {
                                        return detail::cuda_gemm_source(s, how, c, set.limits, set.narrow);
                                    }};
}

}  // namespace tunekit::kernels
