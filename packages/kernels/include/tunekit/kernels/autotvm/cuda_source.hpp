// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// CUDA source for the configurations of AutoTVM's direct convolution. It computes what TVM's schedule computes.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/kernels/autotvm/cuda.hpp"
#include "tunekit/kernels/detail/cuda_text.hpp"
#include "tunekit/measure/build/device_source.hpp"
#include "tunekit/measure/build/source_template.hpp"

namespace tunekit::kernels::autotvm {

namespace detail {

using kernels::detail::cuda_loop;
using kernels::detail::cuda_nest;
using kernels::detail::cuda_unrolling;
using kernels::detail::device_language;
using kernels::detail::lines;

/// A split as (block, virtual thread, thread, inner).
struct cuda_tile {
    std::int64_t block = 1, copies = 1, threads = 1, inner = 1;

    explicit cuda_tile(const std::vector<int>& t)
        : block(t[0]), copies(t.size() == 4 ? t[1] : 1), threads(t[t.size() - 2]), inner(t.back())
    {
    }

    /// Of one block.
    [[nodiscard]] std::int64_t size() const noexcept { return copies * threads * inner; }
    /// Where an element of this thread lies in the block's tile.
    [[nodiscard]] std::string at(std::string_view copy, std::string_view axis, std::string_view element) const
    {
        return lines("(((", copy, ") * ", threads, " + thread_", axis, ") * ", inner, " + (", element, "))");
    }
};

/// Throws std::invalid_argument where a static check refuses the configuration.
inline void require_fits(const char* who, const cuda_usage& use, const cuda_limits& limits)
{
    if (const auto why = exceeds(use, limits)) invalid(lines(who, ": ", *why));
}

/// Throws std::invalid_argument where an index of so many elements would not fit into int.
inline void require_indexable(const char* who, std::int64_t elements)
{
    require(elements <= (std::numeric_limits<std::int32_t>::max)(),
            lines(who, ": an array has ", elements, " elements, want less than 2^31"));
}

template <class Config>
[[nodiscard]] detail::cuda_unrolling unrolling_of(const Config& c)
{
    return {.max_step = get<"auto_unroll_max_step">(c), .written = get<"unroll_explicit">(c) != 0};
}

}  // namespace detail

namespace detail {

/// The direct convolution in either language.
template <class Config>
[[nodiscard]] measure::device_source conv2d_source(const char* who, const conv2d_shape& s, const Config& c,
                                                   const cuda_limits& limits, device_language in, const char* entry)
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
    const cuda_nest load_x = kernels::detail::cooperative("TK_LOAD_X", image, threads, how);
    const cuda_nest load_w = kernels::detail::cooperative("TK_LOAD_W", filter, threads, how);
    std::int64_t statements = load_x.statements() + load_w.statements() + add.statements();
    const std::string outer =
        kernels::detail::outer_loops({{"rco", rc[0]}, {"ryo", ry[0]}, {"rxo", rx[0]}},
                                     load_x.whole() && load_w.whole() && add.whole(), statements, how);
    statements += clear.statements() + store.statements();
    kernels::detail::require_compilable(who, statements);

    const char* const sum_of = "f, y, x, vf, vy, vx";
    const std::string in_f = f.at("vf", "z", "f"), in_y = y.at("vy", "y", "y"), in_x = x.at("vx", "x", "x");
    std::string out =
        kernels::detail::define("TK_SUM", sum_of,
                                lines("sum[((((((f) * ", y.inner, " + (y)) * ", x.inner, " + (x)) * ", f.copies,
                                      " + (vf)) * ", y.copies, " + (vy)) * ", x.copies, " + (vx))]"));
    const auto statement = [&](const char* name, const std::string& parameters, const std::string& body) {
        out += kernels::detail::define(name, parameters, body);
    };
    statement("TK_CLEAR", sum_of, lines("TK_SUM(", sum_of, ") = 0.0f;"));
    statement("TK_ADD", lines("rc, ry, rx, ", sum_of),
              lines("TK_SUM(", sum_of, ") += image[((rc) * ", rows, " + ", in_y, " * ", s.stride_h, " + (ry)) * ",
                    columns, " + ", in_x, " * ", s.stride_w, " + (rx)] * filter[", in_f, " * ", depth, " + (rc) * ",
                    taps, " + (ry) * ", rx[1], " + (rx)];"));
    statement("TK_STORE", sum_of,
              lines("output[((block_f + ", in_f, ") * ", s.oh(), " + block_y + ", in_y, ") * ", s.ow(), " + block_x + ",
                    in_x, "] = TK_SUM(", sum_of, ");"));
    // Of the padding, zeros. A row or column outside the image is a large number where it is taken as unsigned.
    const std::string row =
        lines("block_y * ", s.stride_h, " - ", s.padding_h, " + ryo * ", ry[1], " + e / ", columns, " % ", rows);
    const std::string column =
        lines("block_x * ", s.stride_w, " - ", s.padding_w, " + rxo * ", rx[1], " + e % ", columns);
    std::string inside;
    if (s.padding_h > 0) inside = lines("(unsigned)row < ", s.height, "u");
    if (s.padding_w > 0) inside += lines(inside.empty() ? "" : " && ", "(unsigned)column < ", s.width, "u");
    const std::string value = lines("input[((batch * ", s.ci, " + rco * ", rc[1], " + e / ", rows * columns, ") * ",
                                    s.height, " + row) * ", s.width, " + column]");
    statement("TK_LOAD_X", "turn",
              lines("{ ", kernels::detail::element_of_turn(image, threads), "{ const int row = ", row, ", column = ",
                    column, "; image[e] = ", inside.empty() ? value : lines(inside, " ? ", value, " : 0.0f"), "; } }"));
    statement("TK_LOAD_W", "turn",
              lines("{ ", kernels::detail::element_of_turn(filter, threads), "filter[e] = weights[((filters + e / ",
                    depth, ") * ", s.ci, " + rco * ", rc[1], " + e / ", taps, " % ", rc[1], ") * ",
                    s.kernel_h * s.kernel_w, " + (ryo * ", ry[1], " + e / ", rx[1], " % ", ry[1], ") * ", s.kernel_w,
                    " + rxo * ", rx[1], " + e % ", rx[1], "]; }"));

    const measure::device_launch launch{
        .entry = entry, .grid = {x.block, y.block, s.batch * f.block}, .block = {x.threads, y.threads, f.threads}};
    out += kernels::detail::device_entry(in, entry, launch.block, {"input", "weights"}, "output");
    out += lines("__shared__ float image[", image, "];\n__shared__ float filter[", filter, "];\nfloat sum[",
                 use.accumulators, "];\n", kernels::detail::cuda_thread(x.threads, y.threads),
                 "const int batch = (int)blockIdx.z / ", f.block, ", filters = (int)blockIdx.z % ", f.block, " * ",
                 f.size(), ", block_f = batch * ", s.co, " + filters, block_y = (int)blockIdx.y * ", y.size(),
                 ", block_x = (int)blockIdx.x * ", x.size(), ";\n", clear.text(), outer, "{\n__syncthreads();\n",
                 load_x.text(), load_w.text(), "__syncthreads();\n", add.text(), "}\n", store.text(), "}\n");
    return {.prologue = in == device_language::opencl ? kernels::detail::opencl_prologue : "",
            .text = std::move(out),
            .launches = {launch},
            .statements = statements};
}

}  // namespace detail

/// Source and launch of one configuration of `conv2d_cuda_space(s)`.
///
/// Entry:      kernel(const float* input, const float* weights, float* output); NCHW, OIHW, NCHW.
/// Nest:       blocks, then rc_o, ry_o, rx_o: [input tile and weights to shared memory by the whole block], rc_i, ry_i,
///             rx_i, f, y, x, virtual threads; sums in registers.
/// Departures: neighbouring threads load neighbouring elements; TVM gives each thread several consecutive ones. The
///             block's size is declared to the compiler, so that it uses no more registers than a block may have.
/// Source:     TVM 0.6, topi.cuda.conv2d_direct, `schedule_direct_cuda`.
/// Errors:     std::invalid_argument where a static check refuses it, or more than 4096 statements are unrolled.
template <class Config>
[[nodiscard]] measure::device_source conv2d_cuda_source(const conv2d_shape& s, const Config& c,
                                                        const cuda_limits& limits = {})
{
    return detail::conv2d_source("conv2d_cuda_source", s, c, limits, detail::device_language::cuda, "kernel");
}

/// AutoTVM's direct convolution as a template of generated CUDA code.
[[nodiscard]] inline auto conv2d_cuda_template(const conv2d_shape& s, const cuda_limits& limits = {})
{
    return measure::source_template{conv2d_cuda_space(s),
                                    [s, limits](const auto& c) { return conv2d_cuda_source(s, c, limits); }};
}

}  // namespace tunekit::kernels::autotvm
