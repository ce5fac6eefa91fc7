// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// AutoTVM's direct convolution as text for devices.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tunekit/kernels/autotvm/cuda.hpp"
#include "tunekit/kernels/detail/cuda_text.hpp"
#include "tunekit/processes/build/device_source.hpp"

namespace tunekit::kernels::detail {

/// The resources of a configuration of `conv2d_cuda_space(s)`: its block computes T_f x T_y x T_x outputs from an input
/// tile and weights in shared memory.
template <class Config>
[[nodiscard]] cuda_usage conv2d_cuda_usage(const conv2d_shape& s, const Config& c)
{
    const cuda_tile f(get<"tile_f">(c)), y(get<"tile_y">(c)), x(get<"tile_x">(c));
    const std::int64_t rc = get<"tile_rc">(c)[1], ry = get<"tile_ry">(c)[1], rx = get<"tile_rx">(c)[1];
    const std::int64_t rows = (y.size() - 1) * s.stride_h + ry, columns = (x.size() - 1) * s.stride_w + rx;
    return {.threads_x = x.threads,
            .threads_y = y.threads,
            .threads_z = f.threads,
            .shared_bytes = 4 * (rc * rows * columns + f.size() * rc * ry * rx),
            .accumulators = f.copies * f.inner * y.copies * y.inner * x.copies * x.inner};
}

/// The direct convolution. Of the padding, zeros: a row or column outside the image is a large number where it is taken
/// as unsigned.
inline constexpr const char* cuda_conv2d_text = R"(
#define TK_SUM(f, y, x, vf, vy, vx) \
    sum[((((((f) * {y_inner} + (y)) * {x_inner} + (x)) * {f_copies} + (vf)) * {y_copies} + (vy)) * {x_copies} + (vx))]
#define TK_CLEAR(f, y, x, vf, vy, vx) TK_SUM(f, y, x, vf, vy, vx) = 0.0f;
#define TK_ADD(rc, ry, rx, f, y, x, vf, vy, vx) \
    TK_SUM(f, y, x, vf, vy, vx) += \
        image[((rc) * {rows} + {in_y} * {stride_h} + (ry)) * {columns} + {in_x} * {stride_w} + (rx)] \
        * filter[{in_f} * {depth} + (rc) * {taps} + (ry) * {taps_w} + (rx)];
#define TK_STORE(f, y, x, vf, vy, vx) \
    output[((block_f + {in_f}) * {oh} + block_y + {in_y}) * {ow} + block_x + {in_x}] = TK_SUM(f, y, x, vf, vy, vx);
#define TK_LOAD_X(turn) { \
    const unsigned e = (turn) * {threads}u + (unsigned)thread; \
    {in_image} { \
        const int row = block_y * {stride_h} - {padding_h} + ryo * {taps_h} + e / {columns} % {rows}, \
                  column = block_x * {stride_w} - {padding_w} + rxo * {taps_w} + e % {columns}; \
        image[e] = {inside} input[((batch * {ci} + rco * {channels} + e / {plane}) * {height} + row) * {width} + column] \
                   {outside}; \
    } \
}
#define TK_LOAD_W(turn) { \
    const unsigned e = (turn) * {threads}u + (unsigned)thread; \
    {in_filter} filter[e] = \
        weights[((filters + e / {depth}) * {ci} + rco * {channels} + e / {taps} % {channels}) * {kernel} \
                + (ryo * {taps_h} + e / {taps_w} % {taps_h}) * {kernel_w} + rxo * {taps_w} + e % {taps_w}]; \
}
{head}
    __shared__ float image[{image}];
    __shared__ float filter[{filter}];
    float sum[{sums}];
    const int thread_x = (int)threadIdx.x, thread_y = (int)threadIdx.y, thread_z = (int)threadIdx.z;
    const int thread = (thread_z * {threads_y} + thread_y) * {threads_x} + thread_x;
    const int batch = (int)blockIdx.z / {f_blocks}, filters = (int)blockIdx.z % {f_blocks} * {f_size},
              block_f = batch * {co} + filters, block_y = (int)blockIdx.y * {y_size},
              block_x = (int)blockIdx.x * {x_size};
{clear}
{outer}
    {
        __syncthreads();
{load_x}
{load_w}
        __syncthreads();
{add}
    }
{store}
}
)";

/// The direct convolution in either language.
template <class Config>
[[nodiscard]] measure::device_source conv2d_source(const char* who, const conv2d_shape& s, const Config& c,
                                                   const autotvm::cuda_limits& limits, device_language in,
                                                   const char* entry)
{
    require_ungrouped(s);
    const cuda_usage use = conv2d_cuda_usage(s, c);
    require_fits(who, use, limits);
    require_indexable(who, (std::max)({s.inputs(), s.weights(), s.outputs()}));
    const cuda_unrolling how = unrolling_of(c);
    const cuda_tile f(get<"tile_f">(c)), y(get<"tile_y">(c)), x(get<"tile_x">(c));
    const auto &rc = get<"tile_rc">(c), &ry = get<"tile_ry">(c), &rx = get<"tile_rx">(c);
    const std::int64_t rows = (y.size() - 1) * s.stride_h + ry[1], columns = (x.size() - 1) * s.stride_w + rx[1];
    const std::int64_t taps = std::int64_t{ry[1]} * rx[1], depth = rc[1] * taps;
    const std::int64_t image = rc[1] * rows * columns, filter = f.size() * depth, threads = use.threads();

    const std::vector<cuda_loop> sums{{"f", f.inner},         {"y", y.inner},         {"x", x.inner},
                                      {"vf", f.copies, true}, {"vy", y.copies, true}, {"vx", x.copies, true}};
    std::vector<cuda_loop> all{{"rc", rc[1]}, {"ry", ry[1]}, {"rx", rx[1]}};
    all.insert(all.end(), sums.begin(), sums.end());
    const cuda_nest clear("TK_CLEAR", sums, how), add("TK_ADD", all, how), store("TK_STORE", sums, how);
    const cuda_nest load_x = cooperative("TK_LOAD_X", image, threads, how);
    const cuda_nest load_w = cooperative("TK_LOAD_W", filter, threads, how);
    std::int64_t statements = load_x.statements() + load_w.statements() + add.statements();
    const std::string outer = outer_loops({{"rco", rc[0]}, {"ryo", ry[0]}, {"rxo", rx[0]}},
                                          load_x.whole() && load_w.whole() && add.whole(), statements, how);
    statements += clear.statements() + store.statements();
    require_compilable(who, statements);

    const measure::device_source::launch launch{
        .entry = entry, .grid = {x.block, y.block, s.batch * f.block}, .block = {x.threads, y.threads, f.threads}};
    std::string inside;
    if (s.padding_h > 0) inside = lines("(unsigned)row < ", s.height, "u");
    if (s.padding_w > 0) inside += lines(inside.empty() ? "" : " && ", "(unsigned)column < ", s.width, "u");
    words w(s);
    w.set("in_f in_y in_x", f.at("vf", "z", "f"), y.at("vy", "y", "y"), x.at("vx", "x", "x"))
        .set("f_blocks f_copies y_copies x_copies", f.block, f.copies, y.copies, x.copies)
        .set("y_inner x_inner threads_x threads_y threads", y.inner, x.inner, x.threads, y.threads, threads)
        .set("f_size y_size x_size", f.size(), y.size(), x.size())
        .set("channels taps_h taps_w taps kernel", rc[1], ry[1], rx[1], taps, s.kernel_h * s.kernel_w)
        .set("rows columns plane depth", rows, columns, rows * columns, depth)
        .set("image filter sums", image, filter, use.accumulators)
        .set("in_image in_filter", within(image, threads), within(filter, threads))
        .set("inside outside", inside.empty() ? "" : inside + " ?", inside.empty() ? "" : ": 0.0f")
        .set("head", device_entry(in, entry, launch.block, {"input", "weights"}, "output"))
        .set("clear outer load_x load_w add store", clear.text(), outer, load_x.text(), load_w.text(), add.text(),
             store.text());
    return {.prologue = in == device_language::opencl ? opencl_prologue : "",
            .text = w.in(cuda_conv2d_text),
            .launches = {launch},
            .statements = statements};
}

}  // namespace tunekit::kernels::detail
