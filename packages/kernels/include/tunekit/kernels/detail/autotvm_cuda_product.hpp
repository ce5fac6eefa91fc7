// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A product in tiles as text for devices, which dense layers, batched products and the Winograd convolution share.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/kernels/autotvm/cuda.hpp"
#include "tunekit/kernels/detail/cuda_text.hpp"
#include "tunekit/processes/build/device_source.hpp"

namespace tunekit::kernels::detail {

/// The resources of a product in tiles whose buffers hold `depth` steps of k.
[[nodiscard]] inline cuda_usage product_usage(const cuda_tile& y, const cuda_tile& x, std::int64_t depth)
{
    return {.threads_x = x.threads,
            .threads_y = y.threads,
            .shared_bytes = 4 * (y.size() + x.size()) * depth,
            .accumulators = y.copies * y.inner * x.copies * x.inner};
}

/// A product in tiles.
inline constexpr const char* cuda_product_text = R"(
#define {prefix}CLEAR(i, j, vi, vj) sum[(((i) * {j_inner} + (j)) * {i_copies} + (vi)) * {j_copies} + (vj)] = 0.0f;
#define {prefix}ADD(k, i, j, vi, vj) \
    sum[(((i) * {j_inner} + (j)) * {i_copies} + (vi)) * {j_copies} + (vj)] += a_tile[now][(k) * {rows} + {in_i}] * b_tile[now][(k) * {columns} + {in_j}];
#define {prefix}STORE(i, j, vi, vj) { \
    const int row = first_row + {in_i}, column = first_column + {in_j}; \
    {result} = sum[(((i) * {j_inner} + (j)) * {i_copies} + (vi)) * {j_copies} + (vj)]; \
}
#define {prefix}LOAD_A(turn) { \
    const unsigned e = (turn) * {threads}u + (unsigned)thread; \
    {in_a} a_tile[buffer][({a_k}) * {rows} + {a_i}] = \
        a[batch * {a_batch_step} + (first_row + {a_i}) * {a_step} + (next * {depth} + {a_k}) * {a_k_step}]; \
}
#define {prefix}LOAD_B(turn) { \
    const unsigned e = (turn) * {threads}u + (unsigned)thread; \
    {in_b} b_tile[buffer][({b_k}) * {columns} + {b_i}] = \
        b[batch * {b_batch_step} + (first_column + {b_i}) * {b_step} + (next * {depth} + {b_k}) * {b_k_step}]; \
}
{head}
{pointers}
    __shared__ float a_tile[{buffers}][{a_size}], b_tile[{buffers}][{b_size}];
    float sum[{sums}];
    const int thread_x = (int)threadIdx.x, thread_y = (int)threadIdx.y, thread_z = (int)threadIdx.z;
    const int thread = (thread_z * {threads_y} + thread_y) * {threads_x} + thread_x;
    const int batch = (int)blockIdx.z, first_row = (int)blockIdx.{rows_axis} * {rows},
              first_column = (int)blockIdx.{columns_axis} * {columns};
{clear}
{tiles}
{store}
}
)";

/// Its tiles, one after another.
inline constexpr const char* cuda_single_text = R"(
{over_k}
    {
        const int now = 0, next = ko, buffer = 0;
        __syncthreads();
{loads}
        __syncthreads();
{add}
    }
)";

/// Its tiles in two buffers. One barrier per turn: what was loaded in the turn before is there, what was read then may
/// be replaced.
inline constexpr const char* cuda_double_text = R"(
    {
        const int next = 0, buffer = 0;
{loads}
    }
{over_k}
    {
        __syncthreads();
        const int now = ko % 2, next = ko + 1, buffer = next % 2;
        if (next < {outer}) {
{loads}
        }
{add}
    }
)";

/// Where element (i, k) of an operand lies: at i step + k k_step + batch batch_step.
struct cuda_operand {
    std::int64_t step, k_step, batch_step;

    /// Names where element e of its tile of `size` rows lies, in the order in which neighbours in memory are read
    /// together.
    void name(std::string_view operand, std::int64_t size, std::int64_t depth, words& w) const
    {
        const bool k_first = k_step < step;
        const std::string o(operand);
        w.set(o + "_i", k_first ? lines("e / ", depth) : lines("e % ", size));
        w.set(o + "_k", k_first ? lines("e % ", depth) : lines("e / ", size));
        w.set(lines(o, "_step ", o, "_k_step ", o, "_batch_step"), step, k_step, batch_step);
    }
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
        const cuda_nest load_a = cooperative(prefix + "LOAD_A", a_size, threads(), how);
        const cuda_nest load_b = cooperative(prefix + "LOAD_B", b_size, threads(), how);
        std::int64_t statements = load_a.statements() + load_b.statements() + add.statements();
        const std::string over_k =
            outer_loops({{"ko", outer}}, load_a.whole() && load_b.whole() && add.whole(), statements, how);
        statements += clear.statements() + store.statements();
        if (double_buffer) statements += load_a.statements() + load_b.statements();
        require_compilable(who, statements);

        words w;
        w.set("over_k outer loads add", over_k, outer, load_a.text() + load_b.text(), add.text());
        const std::string tiles = w.in(double_buffer ? cuda_double_text : cuda_single_text);
        a.name("a", rows.size(), depth, w);
        b.name("b", columns.size(), depth, w);
        w.set("prefix head pointers", prefix, head, pointers)
            .set("in_i in_j result", rows.at("vi", rows_axis, "i"), columns.at("vj", columns_axis, "j"), result)
            .set("j_inner i_copies j_copies", columns.inner, rows.copies, columns.copies)
            .set("rows columns depth buffers", rows.size(), columns.size(), depth, double_buffer ? 2 : 1)
            .set("a_size b_size sums", a_size, b_size, rows.copies * rows.inner * columns.copies * columns.inner)
            .set("in_a in_b threads", within(a_size, threads()), within(b_size, threads()), threads())
            .set("rows_axis columns_axis", rows_axis, columns_axis)
            .set("threads_x", rows_axis == "x" ? rows.threads : columns.threads)
            .set("threads_y", rows_axis == "y" ? rows.threads : columns.threads)
            .set("clear tiles store", clear.text(), tiles, store.text());
        return {w.in(cuda_product_text), statements};
    }

    [[nodiscard]] measure::device_source::launch launch() const
    {
        measure::device_source::launch l{.entry = entry, .grid = {1, 1, batch}};
        const auto put = [&l](std::string_view axis, const cuda_tile& t) {
            l.grid[axis == "x" ? 0 : 1] = t.block;
            l.block[axis == "x" ? 0 : 1] = t.threads;
        };
        put(rows_axis, rows);
        put(columns_axis, columns);
        return l;
    }
};

[[nodiscard]] inline measure::device_source whole_source(const char* who, const cuda_product& p,
                                                         const cuda_unrolling& how, device_language in)
{
    const measure::device_source::launch launch = p.launch();
    require_launchable(who, launch);
    auto [text, statements] = p.text(who, device_entry(in, p.entry, launch.block, {"a", "b"}, "c"), how);
    return {.prologue = in == device_language::opencl ? opencl_prologue : "",
            .text = std::move(text),
            .launches = {launch},
            .statements = statements};
}

}  // namespace tunekit::kernels::detail
