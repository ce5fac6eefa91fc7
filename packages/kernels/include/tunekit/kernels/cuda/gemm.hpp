// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// CUDA source for the configurations of `cuda_gemm_space`.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "tunekit/kernels/cuda/gemm_space.hpp"
#include "tunekit/kernels/detail/cuda_prologue.hpp"
#include "tunekit/kernels/detail/cuda_text.hpp"
#include "tunekit/measure/build/device_source.hpp"
#include "tunekit/measure/build/source_template.hpp"

namespace tunekit::kernels {

namespace detail {

/// The text of one configuration, in parts.
struct cuda_gemm_text {
    gemm_shape s;
    cuda_arithmetic how;
    int block_m, block_n, row_bytes, warps_m, warps_n, stages, vector;
    cuda_layout layout;
    int raster, unroll;

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
    [[nodiscard]] std::string_view element() const noexcept
    {
        return how == cuda_arithmetic::bf16 ? "unsigned short" : "float";
    }

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

    /// Where byte `byte` of row `row` lies in a tile.
    [[nodiscard]] std::string place() const
    {
        const int parts = row_bytes / 16;
        const int shift = parts >= 8 ? 0 : parts == 4 ? 1 : 2;
        return lines("__device__ __forceinline__ int tk_place(int row, int byte)\n{\nreturn row * ", pitch(),
                     layout == cuda_layout::swizzled ? lines(" + ((byte / 16 ^ (row >> ", shift, " & ",
                                                             (std::min)(parts, 8) - 1, ")) * 16 + byte % 16)")
                                                     : std::string(" + byte"),
                     ";\n}\n");
    }

    /// Starts the copies of stage `next` of one operand.
    [[nodiscard]] std::string copy(std::string_view from, std::string_view to, int rows, int limit,
                                   std::string_view first) const
    {
        const int each = row_bytes / vector, size = rows * each, n = threads();
        return lines("#pragma unroll\nfor (int turn = 0; turn < ", turns(rows), "; ++turn) {\nconst int e = turn * ", n,
                     " + thread;\n", size % n == 0 ? "" : lines("if (e < ", size, ") "), "{\nconst int row = e / ",
                     each, ", byte = e % ", each, " * ", vector, ", at = next * ", depth(), " + byte / ",
                     element_bytes(how),
                     ";\nconst bool valid = ", limit % rows == 0 ? "" : lines(first, " + row < ", limit, " && "),
                     s.k % depth() == 0 ? std::string("true") : lines("at < ", s.k), ";\ntk_cp_async<", vector, ">(",
                     to, " + tk_place(row, byte), ", from, " + (valid ? (long long)(", first, " + row) * ", s.k,
                     " + at : 0), valid);\n}\n}\n");
    }

    [[nodiscard]] std::string copies(std::string_view slot) const
    {
        return lines("unsigned char* const to = shared + (", slot, ") * ", stage_bytes(), ";\n",
                     copy("a", "to", block_m, s.m, "first_row"),
                     copy("b", lines("to + ", block_m * pitch()), block_n, s.n, "first_column"));
    }

    /// Adds the products of the stage at `from`.
    [[nodiscard]] std::string compute() const
    {
        const std::string over =
            lines("#pragma unroll ", unroll, "\nfor (int step = 0; step < ", steps(), "; ++step) {\n");
        const auto each = [](const char* i, int n) {
            return lines("#pragma unroll\nfor (int ", i, " = 0; ", i, " < ", n, "; ++", i, ")\n");
        };
        const int fm = fragments_m(), fn = fragments_n();
        const std::string b_tile = lines("from + ", block_m * pitch());
        if (!tensor())
            return lines(over, "float4 fa[", fm, "], fb[", fn, "];\n", each("i", fm),
                         "fa[i] = *(const float4*)(from + tk_place(warp_row + i * 8 + lane / 4, step * 16));\n",
                         each("j", fn), "fb[j] = *(const float4*)(", b_tile,
                         " + tk_place(warp_column + j * 4 + lane % 4, step * 16));\n", each("i", fm), each("j", fn),
                         "{\nsum[i][j] += fa[i].x * fb[j].x;\nsum[i][j] += fa[i].y * fb[j].y;\nsum[i][j] += fa[i].z * "
                         "fb[j].z;\nsum[i][j] += fa[i].w * fb[j].w;\n}\n}\n");
        std::string round;
        if (how == cuda_arithmetic::tf32)
            round = lines(each("i", fm), each("q", 4), "fa[i][q] = tk_tf32(fa[i][q]);\n", each("j", fn), each("q", 2),
                          "fb[j][q] = tk_tf32(fb[j][q]);\n");
        return lines(
            over, "unsigned fa[", fm, "][4], fb[", fn, "][2];\n", each("i", fm),
            "tk_ldmatrix(fa[i], from + tk_place(warp_row + i * 16 + lane % 16, step * 32 + lane / 16 * 16));\n",
            each("j", fn / 2), "{\nunsigned two[4];\ntk_ldmatrix(two, ", b_tile,
            " + tk_place(warp_column + j * 16 + lane / 16 * 8 + lane % 8, step * 32 + lane / 8 % 2 * 16));\n"
            "fb[2 * j][0] = two[0];\nfb[2 * j][1] = two[1];\nfb[2 * j + 1][0] = two[2];\nfb[2 * j + 1][1] = "
            "two[3];\n}\n",
            round, each("i", fm), each("j", fn), how == cuda_arithmetic::tf32 ? "tk_mma_tf32" : "tk_mma_bf16",
            "(sum[i][j], fa[i], fb[j]);\n}\n");
    }

    [[nodiscard]] std::string store() const
    {
        const std::string row = tensor() ? "i * 16 + lane / 4 + q / 2 * 8" : "i * 8 + lane / 4";
        const std::string column = tensor() ? "j * 8 + lane % 4 * 2 + q % 2" : "j * 4 + lane % 4";
        std::string inside = s.m % block_m == 0 ? "" : lines("row < ", s.m);
        if (s.n % block_n != 0) inside += lines(inside.empty() ? "" : " && ", "column < ", s.n);
        return lines("#pragma unroll\nfor (int i = 0; i < ", fragments_m(),
                     "; ++i)\n#pragma unroll\nfor (int j = 0; j < ", fragments_n(), "; ++j)\n",
                     tensor() ? "#pragma unroll\nfor (int q = 0; q < 4; ++q)\n" : "",
                     "{\nconst int row = first_row + warp_row + ", row, ", column = first_column + warp_column + ",
                     column, ";\n", inside.empty() ? "" : lines("if (", inside, ") "), "c[(long long)row * ", s.n,
                     " + column] = sum[i][j]", tensor() ? "[q]" : "", ";\n}\n");
    }

    [[nodiscard]] std::int64_t blocks(int size, int block) const noexcept { return (size + block - 1) / block; }

    [[nodiscard]] std::string text() const
    {
        const std::int64_t rows = blocks(s.m, block_m), columns = blocks(s.n, block_n), tiles = blocks(s.k, depth());
        const std::int64_t m = s.m, n = s.n, k = s.k;
        const std::string operand = lines("const ", element(), "* __restrict__ ");
        std::string out =
            place() + cuda_entry("kernel", threads(), lines(operand, "a, ", operand, "b, float* __restrict__ c"));
        out += lines(
            "TK_DYNAMIC_SHARED(shared);\nconst int thread = (int)threadIdx.x, lane = thread % 32, warp = thread / 32;\n"
            "const int warp_row = warp / ",
            warps_n, " * ", warp_m(), ", warp_column = warp % ", warps_n, " * ", warp_n(), ";\n");
        out += lines("const int group = (int)blockIdx.x / ", raster * columns, ", place = (int)blockIdx.x % ",
                     raster * columns, ", above = group * ", raster, ", side = ", rows, " - above < ", raster, " ? ",
                     rows, " - above : ", raster, ";\nconst int first_row = (above + place % side) * ", block_m,
                     ", first_column = place / side * ", block_n, ";\n");
        if (s.batch > 1)
            out += lines("a += (long long)blockIdx.z * ", m * k, ";\nb += (long long)blockIdx.z * ", n * k,
                         ";\nc += (long long)blockIdx.z * ", m * n, ";\n");
        out += lines("float sum[", fragments_m(), "][", fragments_n(), "]", tensor() ? "[4]" : "", " = {};\n");
        if (stages == 1) {
            out +=
                lines("#pragma unroll 1\nfor (int next = 0; next < ", tiles, "; ++next) {\n{\n", copies("0"),
                      "}\ntk_commit();\ntk_wait<0>();\n__syncthreads();\nconst unsigned char* const from = shared;\n",
                      compute(), "__syncthreads();\n}\n");
        } else {
            // One barrier per tile: it tells that a stage has arrived, and that another was read and may be replaced.
            out += lines("#pragma unroll 1\nfor (int next = 0; next < ", stages - 1, "; ++next) {\nif (next < ", tiles,
                         ") {\n", copies("next"), "}\ntk_commit();\n}\n#pragma unroll 1\nfor (int tile = 0; tile < ",
                         tiles, "; ++tile) {\ntk_wait<", stages - 2, ">();\n__syncthreads();\nconst int next = tile + ",
                         stages - 1, ";\nif (next < ", tiles, ") {\n", copies(lines("next % ", stages)),
                         "}\ntk_commit();\nconst unsigned char* const from = shared + tile % ", stages, " * ",
                         stage_bytes(), ";\n", compute(), "}\n");
        }
        return out + store() + "}\n";
    }
};

}  // namespace detail

/// The source and launch of one configuration of `cuda_gemm_space(s, how)`: C = A B^T for each of a batch. Any m and n
/// are allowed. Elements beyond them are read as zeros and not written.
///
/// Entry:      kernel(const float* a, const float* b, float* c); a and b const unsigned short* for bf16; [batch][m][k],
///             [batch][n][k], [batch][m][n].
/// Errors:     std::invalid_argument where a static check refuses it, or more than 4096 statements are unrolled.
template <class Config>
[[nodiscard]] measure::device_source cuda_gemm_source(const gemm_shape& s, cuda_arithmetic how, const Config& c,
                                                      const autotvm::cuda_limits& limits = async_cuda_limits)
{
    require_valid(s);
    const autotvm::cuda_usage use = cuda_gemm_usage(c);
    if (const auto why = autotvm::exceeds(use, limits)) invalid("cuda_gemm_source: " + *why);
    const detail::cuda_gemm_text t{s,
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
                                   get<"unroll">(c)};
    detail::require_compilable("cuda_gemm_source", t.statements());
    const std::int64_t blocks = t.blocks(s.m, t.block_m) * t.blocks(s.n, t.block_n);
    require(s.batch <= 65535 && blocks <= (std::numeric_limits<std::int32_t>::max)(),
            "cuda_gemm_source: the grid is too large, want a batch of at most 65535 and less than 2^31 tiles");
    return {
        .prologue = detail::cuda_prologue,
        .text = t.text(),
        .launches = {{.grid = {blocks, 1, s.batch}, .block = {t.threads(), 1, 1}, .shared_bytes = use.shared_bytes}},
        .statements = t.statements()};
}

/// Matrix products for present GPUs as a template of generated CUDA code.
[[nodiscard]] inline auto cuda_gemm_template(const gemm_shape& s, cuda_arithmetic how,
                                             const autotvm::cuda_limits& limits = async_cuda_limits)
{
    return measure::source_template{cuda_gemm_space(s, how, limits),
                                    [s, how, limits](const auto& c) { return cuda_gemm_source(s, how, c, limits); }};
}

}  // namespace tunekit::kernels
