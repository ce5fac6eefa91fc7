// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Matrix products for Hopper: bulk copies in a ring of stages, tensor cores that read shared memory, warpgroups that
/// copy and warpgroups that multiply. And the choice between this template and the one for older devices.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "tunekit/core/error.hpp"
#include "tunekit/kernels/autotvm/cuda.hpp"
#include "tunekit/kernels/cuda/gemm.hpp"
#include "tunekit/kernels/detail/cuda_text.hpp"
#include "tunekit/kernels/detail/hopper_gemm_text.hpp"
#include "tunekit/kernels/shapes.hpp"
#include "tunekit/processes/build/device_source.hpp"
#include "tunekit/processes/build/source_template.hpp"
#include "tunekit/space/product.hpp"

namespace tunekit::kernels {

namespace detail {

/// Two blocks of a cluster that share an operand: each copies half of it for both.
enum class cuda_cluster {
    none,     ///< blocks by themselves
    rows,     ///< blocks one above the other share their part of B
    columns,  ///< blocks side by side share their part of A
};

/// The resources that a kernel of `hopper_gemm_space` may use: compute capability 9.0.
inline constexpr autotvm::cuda_limits hopper_limits{.shared_bytes = 227 * 1024};

/// What follows from a configuration of the Hopper template.
struct hopper_tile {
    int warpgroups = 1, fragments = 1, block_n = 64, row_bytes = 128, stages = 2, resident = 1;

    [[nodiscard]] constexpr int group_rows() const noexcept { return 64 * fragments; }  ///< of one warpgroup
    [[nodiscard]] constexpr int block_m() const noexcept { return warpgroups * group_rows(); }
    [[nodiscard]] constexpr int threads() const noexcept { return 128 * (warpgroups + 1); }
    [[nodiscard]] constexpr int swizzle() const noexcept { return (std::min)(row_bytes, 128); }
    [[nodiscard]] constexpr int parts() const noexcept { return row_bytes / swizzle(); }
    [[nodiscard]] constexpr int stage_bytes() const noexcept { return (block_m() + block_n) * row_bytes; }
    [[nodiscard]] constexpr std::int64_t shared_bytes() const noexcept
    {
        return std::int64_t{stages} * (stage_bytes() + 16);
    }
    [[nodiscard]] constexpr int accumulators() const noexcept { return fragments * block_n / 2; }
    /// Registers of a thread when the kernel begins: an equal share for all, by eights.
    [[nodiscard]] constexpr int even_registers() const noexcept { return 65536 / (threads() * resident) / 8 * 8; }
    /// Of a thread that multiplies, when those that copy have given theirs away.
    [[nodiscard]] constexpr int registers() const noexcept
    {
        return (std::min)(240, ((warpgroups + 1) * even_registers() - 32) / warpgroups / 8 * 8);
    }
    /// Of a thread that copies.
    [[nodiscard]] constexpr int spare_registers() const noexcept
    {
        return (std::min)(40, (warpgroups + 1) * even_registers() - warpgroups * registers());
    }
};

template <class Config>
[[nodiscard]] hopper_tile hopper_tile_of(const Config& c)
{
    return {get<"warpgroups">(c), get<"fragments">(c), get<"block_n">(c),
            get<"row_bytes">(c),  get<"stages">(c),    get<"resident">(c)};
}

/// Why tensor maps cannot describe the operands, in one line; else empty.
[[nodiscard]] inline std::string hopper_refuses(const gemm_shape& s, cuda_arithmetic how)
{
    const std::int64_t bytes = std::int64_t{s.k} * element_bytes(how);
    if (how == cuda_arithmetic::fp32) return "fp32 without rounding has no tensor cores";
    if (bytes % 16 != 0) return lines("a row of k has ", bytes, " bytes, and tensor maps want a multiple of 16");
    return {};
}

/// The space of C = A B^T, A [batch][m][k], B [batch][n][k].
[[nodiscard]] inline auto hopper_gemm_space(const gemm_shape& s, cuda_arithmetic how)
{
    require_valid(s);
    if (const std::string why = hopper_refuses(s, how); !why.empty())
        invalid("hopper_gemm_template: " + why + "; cuda_gemm_template has no such limit");
    return space::product{
        space::parameter<"warpgroups">({1, 2, 3}),
        space::parameter<"fragments">({1, 2}),
        space::parameter<"block_n">({32, 64, 96, 128, 160, 192, 224, 256}),
        space::parameter<"row_bytes">({64, 128, 256}),
        space::parameter<"stages">({2, 3, 4, 5, 6, 7, 8}),
        space::parameter<"cluster">({cuda_cluster::none, cuda_cluster::rows, cuda_cluster::columns}),
        space::parameter<"ahead">({0, 1}),
        space::parameter<"resident">({1, 2}),
        space::parameter<"persistent">({false, true}),
        space::parameter<"raster">({1, 2, 4, 8, 16}),
        space::where<"warpgroups", "fragments">([](int w, int f) { return 64 * w * f <= 256; }),  // a box's rows
        space::where<"warpgroups", "fragments", "block_n", "row_bytes", "stages", "resident">(
            [most = hopper_limits.shared_bytes](int w, int f, int n, int row, int stages, int resident) {
                const hopper_tile t{w, f, n, row, stages, resident};
                // Of a processor's 228 KiB the system takes 1 KiB for each block.
                return t.shared_bytes() <= most && resident * (t.shared_bytes() + 1024) <= most + 1024;
            }),
        space::where<"warpgroups", "fragments", "block_n", "resident">([](int w, int f, int n, int resident) {
            const hopper_tile t{.warpgroups = w, .fragments = f, .block_n = n, .resident = resident};
            return t.accumulators() + 32 <= t.registers();
        }),
    };
}

/// The text of one configuration, in parts.
struct hopper_gemm_text {
    gemm_shape s;
    cuda_arithmetic how;
    bool narrow;
    hopper_tile t;
    cuda_cluster cluster;
    int ahead, raster;

    [[nodiscard]] int cluster_rows() const noexcept { return cluster == cuda_cluster::rows ? 2 : 1; }
    [[nodiscard]] int cluster_columns() const noexcept { return cluster == cuda_cluster::columns ? 2 : 1; }
    [[nodiscard]] int cluster_size() const noexcept { return cluster_rows() * cluster_columns(); }
    [[nodiscard]] static std::int64_t parts_of(int size, int part) noexcept { return (size + part - 1) / part; }
    [[nodiscard]] std::int64_t rows() const noexcept { return parts_of(s.m, t.block_m() * cluster_rows()); }
    [[nodiscard]] std::int64_t columns() const noexcept { return parts_of(s.n, t.block_n * cluster_columns()); }
    [[nodiscard]] std::int64_t tiles() const noexcept { return s.batch * rows() * columns(); }  ///< of clusters
    [[nodiscard]] int depth() const noexcept { return t.row_bytes / element_bytes(how); }
    /// Products and stores as they stand in the text.
    [[nodiscard]] std::int64_t statements() const noexcept
    {
        return t.fragments * (t.row_bytes / 32) + 2 * t.accumulators() + 2 * t.parts();
    }
    [[nodiscard]] std::string type() const
    {
        return how == cuda_arithmetic::tf32 ? "tf32" : how == cuda_arithmetic::bf16 ? "bf16" : "f16";
    }

    [[nodiscard]] measure::device_source::tensor_map map(std::size_t argument, int size, int box) const
    {
        const std::int64_t row = std::int64_t{s.k} * element_bytes(how);
        using element = measure::device_source::tensor_map::element;
        return {.argument = argument,
                .type = how == cuda_arithmetic::tf32 ? element::tf32 : element::bits16,
                .sizes = {s.k, size, s.batch},
                .strides = {row, row * size},
                .box = {t.swizzle() / element_bytes(how), box, 1},
                .swizzle_bytes = t.swizzle()};
    }

    [[nodiscard]] std::string prologue() const
    {
        const int sums = t.block_n / 2;
        std::string registers, operands;
        for (int i = 0; i < sums; ++i) {
            registers += lines(i == 0 ? "" : ", ", "%", i);
            operands += lines(i == 0 ? "" : ", ", "\"+f\"(c[", i, "])");
        }
        words w;
        w.set("sums n k after type", sums, t.block_n, 32 / element_bytes(how), sums + 1, type())
            .set("registers operands major", "{" + registers + "}", operands,
                 how == cuda_arithmetic::tf32 ? "" : ", 0, 0");
        return hopper_prologue + w.in(hopper_wgmma) + (narrow ? w.in(hopper_store) : "");
    }

    [[nodiscard]] std::string text() const
    {
        const int size = cluster_size(), swizzle = t.swizzle();
        const bool share_a = cluster == cuda_cluster::columns, share_b = cluster == cuda_cluster::rows;
        const auto half = [&](bool share, int rows, int each) {
            return share ? lines("rank * ", rows / 2 * each) : std::string("0");
        };
        const auto arrive = [&](const char* where) {
            return lines("if (", ahead == 1 && *where == 's' ? "k > 0 && " : "", "lane < ", size,
                         ") tk_barrier_arrive(empty + 8 * (", where, "), lane);");
        };
        const std::string last = lines("stage == 0 ? ", t.stages - 1, " : stage - 1");
        std::string inside = s.m % (t.block_m() * cluster_rows()) == 0 ? "" : lines("row < ", s.m);
        if (s.n % (t.block_n * cluster_columns()) != 0) inside += lines(inside.empty() ? "" : " && ", "column < ", s.n);
        if (!inside.empty()) inside = lines("if (", inside, ") ");
        const std::string at = lines("c + ((long long)batch * ", s.m, " + row) * ", s.n, " + column");
        const bool moves = t.registers() > t.even_registers();
        const std::string stored = narrow ? "_" + type() : "";
        words w;
        w.set("type", type())
            .set("swizzle group_bytes mode", swizzle, 8 * swizzle, swizzle == 128 ? 1 : 2)
            .set("threads resident cluster", t.threads(), t.resident, size)
            .set("cluster_bounds", size == 1 ? "" : "__cluster_dims__(2, 1, 1)")
            .set("element", how == cuda_arithmetic::tf32 ? "float" : "unsigned short")
            .set("result", narrow ? "unsigned short" : "float")
            .set("all_stages stages stage_bytes", t.stages * t.stage_bytes(), t.stages, t.stage_bytes())
            .set("rank meet leave", size == 1 ? "" : "const int rank = (int)tk_rank();",
                 size == 1 ? "__syncthreads()" : "tk_meet_cluster()",
                 size == 1 ? "" : "tk_meet_cluster();  // no block ends while the other may still write into it")
            .set("readers consumer_warps", 4 * t.warpgroups * size, 4 * t.warpgroups)
            .set("fewer_registers", moves ? lines("tk_registers_dec<", t.spare_registers(), ">();") : "")
            .set("more_registers", moves ? lines("tk_registers_inc<", t.registers(), ">();") : "")
            .set("tiles steps depth", tiles(), parts_of(s.k, depth()), depth())
            .set("parts part_depth part_steps", t.parts(), swizzle / element_bytes(how), swizzle / 32)
            .set("a_part b_part a_bytes", t.block_m() * swizzle, t.block_n * swizzle, t.block_m() * t.row_bytes)
            .set("a_share a_first a_mask", half(share_a, t.block_m(), swizzle), half(share_a, t.block_m(), 1),
                 share_a ? ", 3" : "")
            .set("b_share b_first b_mask", half(share_b, t.block_n, swizzle), half(share_b, t.block_n, 1),
                 share_b ? ", 3" : "")
            .set("fragments sums quads", t.fragments, t.block_n / 2, t.block_n / 8)
            .set("group_rows group_rows_bytes fragment_bytes", t.group_rows(), t.group_rows() * swizzle, 64 * swizzle)
            .set("ahead release_in_loop", ahead, arrive(ahead == 0 ? "stage" : last.c_str()))
            .set("release_after",
                 ahead == 0 ? ""
                            : lines("tk_wgmma_wait<0>();\n",
                                    lines("if (lane < ", size, ") tk_barrier_arrive(empty + 8 * (", last, "), lane);")))
            .set("tiles_of_one group raster rows", rows() * columns(), raster * columns(), raster, rows())
            .set("cluster_rows rank_row block_m", cluster_rows(), share_b ? "rank" : "0", t.block_m())
            .set("cluster_columns rank_column block_n", cluster_columns(), share_a ? "rank" : "0", t.block_n);
        // Neighbours are stored together where every row begins at an even place, else by themselves.
        w.set("store", s.n % 2 == 0 ? lines(inside, "tk_store", stored, "(", at,
                                            ", sum[i][j * 4 + h * 2], sum[i][j * 4 + h * 2 + 1]);")
                                    : lines("for (int q = 0; q < 2; ++q)\n if (row < ", s.m, " && column + q < ", s.n,
                                            ") tk_store_one", stored, "(", at, " + q, sum[i][j * 4 + h * 2 + q]);"));
        w.set("place", w.in(hopper_place));
        return w.in(hopper_kernel);
    }
};

template <class Config>
[[nodiscard]] measure::device_source hopper_gemm_source(const gemm_shape& s, cuda_arithmetic how, const Config& c,
                                                        const cuda_gemm_options& set)
{
    const hopper_tile t = hopper_tile_of(c);
    const bool narrow = set.narrow && element_bytes(how) == 2;
    const hopper_gemm_text text{s, how, narrow, t, get<"cluster">(c), get<"ahead">(c), get<"raster">(c)};
    require_fits("hopper_gemm_template", {.threads_x = t.threads(), .shared_bytes = t.shared_bytes()}, hopper_limits);
    require_compilable("hopper_gemm_template", text.statements());
    const std::int64_t size = text.cluster_size();
    require(text.tiles() * size <= (std::numeric_limits<std::int32_t>::max)(),
            "hopper_gemm_template: the grid is too large, want less than 2^31 tiles");
    const std::int64_t there = (std::max)(std::int64_t{1}, set.processors * t.resident / size);
    const std::int64_t clusters = get<"persistent">(c) ? (std::min)(there, text.tiles()) : text.tiles();
    return {
        .prologue = text.prologue(),
        .text = text.text(),
        .launches = {{.grid = {clusters * size, 1, 1}, .block = {t.threads(), 1, 1}, .shared_bytes = t.shared_bytes()}},
        .maps = {text.map(0, s.m, t.block_m() / text.cluster_columns()),
                 text.map(1, s.n, t.block_n / text.cluster_rows())},
        .statements = text.statements()};
}

}  // namespace detail

/// Matrix products on the tensor cores of compute capability 9.0 (sm_90a), C = A B^T for each of a batch, as a template
/// of generated CUDA code. Any m and n are allowed; what lies beyond them is read as zeros and not written.
///
/// Parameters: warpgroups (that multiply; one more copies), fragments (64 rows each, of a warpgroup), block_n,
///             row_bytes (of k in one stage), stages, cluster, ahead (products that run while the next stage is waited
///             for), resident (blocks that a processor holds at a time), persistent (as many blocks as the device
///             holds; else one for each tile), raster (rows of tiles that run side by side, for the second-level
///             cache).
/// Entry:      kernel(a, b, c, map_a, map_b): arrays as for `cuda_gemm_template`, then the tensor maps of a and b.
/// Errors:     a shape whose rows of k are no multiple of 16 bytes, fp32 and a configuration that a static check
///             refuses are std::invalid_argument.
[[nodiscard]] inline auto hopper_gemm_template(const gemm_shape& s, cuda_arithmetic how,
                                               const cuda_gemm_options& set = {})
{
    return measure::source_template{detail::hopper_gemm_space(s, how), [s, how, set](const auto& c) {
                                        return detail::hopper_gemm_source(s, how, c, set);
                                    }};
}

/// Calls `use(template, why)` with the template for products of this shape on devices of an architecture such as
/// "sm_90a": that of Hopper where it applies and `set.hopper` allows it, else `cuda_gemm_template`. `why` says in one
/// line which it is, and why not the other.
template <class Use>
decltype(auto) with_cuda_gemm(std::string_view architecture, const gemm_shape& s, cuda_arithmetic how,
                              const cuda_gemm_options& set, Use&& use)
{
    std::string why = detail::hopper_refuses(s, how);
    if (why.empty() && !set.hopper) why = "hopper_gemm_template has run on no device yet and was not asked for";
    if (architecture != "sm_90a") why = std::string(architecture) + " is not sm_90a";
    if (why.empty())
        return std::forward<Use>(use)(hopper_gemm_template(s, how, set), std::string("hopper_gemm_template"));
    return std::forward<Use>(use)(cuda_gemm_template(s, how, set), "cuda_gemm_template: " + why);
}

}  // namespace tunekit::kernels
