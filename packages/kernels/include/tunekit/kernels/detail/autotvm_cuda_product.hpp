// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// CUDA source of a product in tiles, which dense layers, batched products and the Winograd convolution share.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/kernels/autotvm/cuda.hpp"
#include "tunekit/kernels/autotvm/cuda_source.hpp"
#include "tunekit/kernels/detail/cuda_text.hpp"
#include "tunekit/measure/build/device_source.hpp"

namespace tunekit::kernels::autotvm {

namespace detail {

/// Where element (i, k) of an operand lies: at i step + k k_step + batch batch_step.
struct cuda_operand {
    std::string name;
    std::int64_t step, k_step, batch_step;
};

/// Tiles of C[i][j] = sum over k of A[i][k] B[j][k], one per block: `depth` steps of k at a time lie in shared memory.
struct cuda_product {
    std::string entry = "kernel";
    cuda_tile rows, columns;
    std::string_view rows_axis = "y", columns_axis = "x";  ///< of blocks and threads
    std::int64_t outer, depth, batch;
    cuda_operand a, b;
    std::string result;  ///< element (row, column) of C in terms of these and `batch`
    bool double_buffer = false;
    std::string pointers{};  ///< declares `a`, `b` or `c` where they are no parameters

    [[nodiscard]] std::int64_t threads() const noexcept { return rows.threads * columns.threads; }

    /// Loads one operand's tile of `size` rows into a buffer, k the slowest there.
    [[nodiscard]] std::string load(std::string_view name, const cuda_operand& from, std::int64_t size,
                                   std::string_view first) const
    {
        const bool k_first = from.k_step < from.step;  // neighbouring threads read neighbours
        const std::string i = k_first ? lines("e / ", depth) : lines("e % ", size);
        const std::string k = k_first ? lines("e % ", depth) : lines("e / ", size);
        return kernels::detail::define(
            name, "turn",
            lines("{ ", kernels::detail::element_of_turn(size * depth, threads()), from.name, "_tile[buffer][(", k,
                  ") * ", size, " + ", i, "] = ", from.name, "[batch * ", from.batch_step, " + (", first, " + ", i,
                  ") * ", from.step, " + (next * ", depth, " + ", k, ") * ", from.k_step, "]; }"));
    }

    /// The whole function below its `head`, and the statements in it.
    [[nodiscard]] std::pair<std::string, std::int64_t> text(const char* who, std::string_view head,
                                                            const cuda_unrolling& how) const
    {
        const std::vector<cuda_loop> sums{
            {"i", rows.inner}, {"j", columns.inner}, {"vi", rows.copies, true}, {"vj", columns.copies, true}};
        std::vector<cuda_loop> all{{"k", depth}};
        all.insert(all.end(), sums.begin(), sums.end());
        const std::string prefix = lines("TK_", entry, "_");
        const cuda_nest clear(prefix + "CLEAR", sums, how), add(prefix + "ADD", all, how);
        const cuda_nest store(prefix + "STORE", sums, how);
        const std::int64_t a_size = rows.size() * depth, b_size = columns.size() * depth;
        const cuda_nest load_a = kernels::detail::cooperative(prefix + "LOAD_A", a_size, threads(), how);
        const cuda_nest load_b = kernels::detail::cooperative(prefix + "LOAD_B", b_size, threads(), how);
        std::int64_t statements = load_a.statements() + load_b.statements() + add.statements();
        const std::string over_k = kernels::detail::outer_loops(
            {{"ko", outer}}, load_a.whole() && load_b.whole() && add.whole(), statements, how);
        statements += clear.statements() + store.statements();
        if (double_buffer) statements += load_a.statements() + load_b.statements();
        kernels::detail::require_compilable(who, statements);

        const std::string sum =
            lines("sum[(((i) * ", columns.inner, " + (j)) * ", rows.copies, " + (vi)) * ", columns.copies, " + (vj)]");
        const std::string in_i = rows.at("vi", rows_axis, "i"), in_j = columns.at("vj", columns_axis, "j");
        std::string out = kernels::detail::define(prefix + "CLEAR", "i, j, vi, vj", sum + " = 0.0f;");
        out += kernels::detail::define(prefix + "ADD", "k, i, j, vi, vj",
                                       lines(sum, " += a_tile[now][(k) * ", rows.size(), " + ", in_i,
                                             "] * b_tile[now][(k) * ", columns.size(), " + ", in_j, "];"));
        out += kernels::detail::define(prefix + "STORE", "i, j, vi, vj",
                                       lines("{ const int row = first_row + ", in_i, ", column = first_column + ", in_j,
                                             "; ", result, " = ", sum, "; }"));
        out += load(prefix + "LOAD_A", a, rows.size(), "first_row");
        out += load(prefix + "LOAD_B", b, columns.size(), "first_column");
        out += head;
        out += pointers;
        const int buffers = double_buffer ? 2 : 1;
        out += lines("__shared__ float a_tile[", buffers, "][", a_size, "], b_tile[", buffers, "][", b_size,
                     "];\nfloat sum[", rows.copies * rows.inner * columns.copies * columns.inner, "];\n",
                     kernels::detail::cuda_thread(rows_axis == "x" ? rows.threads : columns.threads,
                                                  rows_axis == "y" ? rows.threads : columns.threads),
                     "const int batch = (int)blockIdx.z, first_row = (int)blockIdx.", rows_axis, " * ", rows.size(),
                     ", first_column = (int)blockIdx.", columns_axis, " * ", columns.size(), ";\n", clear.text());
        const std::string loads = load_a.text() + load_b.text();
        if (double_buffer) {
            // One barrier per turn: what was loaded in the turn before is there, what was read then may be replaced.
            out += lines("{\nconst int next = 0, buffer = 0;\n", loads, "}\n", over_k,
                         "{\n__syncthreads();\nconst int now = ko % 2, next = ko + 1, buffer = next % 2;\nif (next < ",
                         outer, ") {\n", loads, "}\n", add.text(), "}\n");
        } else {
            out += lines(over_k, "{\nconst int now = 0, next = ko, buffer = 0;\n__syncthreads();\n", loads,
                         "__syncthreads();\n", add.text(), "}\n");
        }
        return {out + store.text() + "}\n", statements};
    }

    [[nodiscard]] measure::device_launch launch() const
    {
        measure::device_launch l{.entry = entry, .grid = {1, 1, batch}};
        const auto put = [&l](std::string_view axis, const cuda_tile& t) {
            l.grid[axis == "x" ? 0 : 1] = t.block;
            l.block[axis == "x" ? 0 : 1] = t.threads;
        };
        put(rows_axis, rows);
        put(columns_axis, columns);
        return l;
    }
};

/// Throws std::invalid_argument where the grid is larger than a launch allows in y or z.
inline void require_launchable(const char* who, const measure::device_launch& l)
{
    require(l.grid[1] <= 65535 && l.grid[2] <= 65535,
            lines(who, ": the grid is ", l.grid[1], " x ", l.grid[2], " in y and z, want at most 65535 each"));
}

[[nodiscard]] inline measure::device_source whole_source(const char* who, const cuda_product& p,
                                                         const cuda_unrolling& how, device_language in)
{
    const measure::device_launch launch = p.launch();
    require_launchable(who, launch);
    auto [text, statements] =
        p.text(who, kernels::detail::device_entry(in, p.entry, launch.block, {"a", "b"}, "c"), how);
    return {.prologue = in == device_language::opencl ? kernels::detail::opencl_prologue : "",
            .text = std::move(text),
            .launches = {launch},
            .statements = statements};
}

inline void require_indexable(const char* who, const gemm_shape& s)
{
    require_valid(s);
    const std::int64_t batch = s.batch;
    require_indexable(who, (std::max)({batch * s.m * s.k, batch * s.n * s.k, batch * s.m * s.n}));
}

}  // namespace detail

}  // namespace tunekit::kernels::autotvm
