// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Texts of the kernels of AutoTVM's CPU spaces.

#include <string>
#include <utility>

#include "tunekit/kernels/detail/kernel_text.hpp"
#include "tunekit/kernels/shapes.hpp"
#include "tunekit/processes/build/source_template.hpp"

namespace tunekit::kernels::detail {

/// Copies the image into a frame of zeros.
inline constexpr const char* x86_padding_text = R"(
    const float* const in = padded;
    for (long plane = 0; plane < {planes}; ++plane)
        for (long r = 0; r < {rows}; ++r) {
            float* const to = padded + (plane * {rows} + r) * {row};
            if (r < {padding_h} || r >= {bottom}) {
                __builtin_memset(to, 0, {row_bytes});
                continue;
            }
            __builtin_memset(to, 0, {left_bytes});
            __builtin_memcpy(to + {left}, x + (plane * {height} + r - {padding_h}) * {line}, {line_bytes});
            __builtin_memset(to + {right}, 0, {left_bytes});
        }
)";

/// Names the input, copied where there is padding, `in`.
inline std::string padded_input(const conv2d_shape& s, int ic)
{
    if (s.padding_h == 0 && s.padding_w == 0) return "const float* const in = x;\n(void)padded;\n";
    const int row = (s.width + 2 * s.padding_w) * ic, line = s.width * ic, left = s.padding_w * ic;
    return words(s)
        .set("planes rows bottom", s.batch * (s.ci / ic), s.height + 2 * s.padding_h, s.height + s.padding_h)
        .set("row line left right", row, line, left, left + line)
        .set("row_bytes line_bytes left_bytes", row * 4, line * 4, left * 4)
        .in(x86_padding_text);
}

inline constexpr const char* x86_conv2d_text = R"({preamble}
extern "C" void kernel(const float* __restrict x, const float* __restrict w, float* __restrict y, float* __restrict padded)
{
{input}
    for (long n = 0; n < {batch}; ++n)
    for (long o = 0; o < {co_blocks}; ++o)
    for (long p = 0; p < {oh}; p += {tile_oh})
    for (long q = 0; q < {ow}; q += {tile_ow}) {
{declare}
        for (long i = 0; i < {ci_blocks}; ++i)
        for (long r = 0; r < {kernel_h}; ++r) {
{each_row}
            {
                const float* const xr = in + (((n * {ci_blocks} + i) * {rows} + (p + h) * {stride_h} + r) * {columns} + q * {stride_w}) * {ic};
                const float* const wr = w + ((o * {ci_blocks} + i) * {kernel_h} + r) * {filter_row};
{over_taps}
                {
                    const float* const wk = wr + (s * {ic} + k) * {oc};
{each_column}
                    for (int j = 0; j < {tile_ow}; ++j) {
                        const float e = xr[(j * {stride_w} + s) * {ic} + k];
{add}
                    }
                }
            }
        }
{each_row}
{each_column}
        for (int j = 0; j < {tile_ow}; ++j) {
            float* const to = y + (((n * {co_blocks} + o) * {oh} + p + h) * {ow} + q + j) * {oc};
{store}
        }
    }
}
)";

/// A dense layer: {parts} compute rows of a block in chunks.
inline constexpr const char* x86_dense_text = R"({preamble}
extern "C" void kernel(const float* __restrict a, const float* __restrict b, float* __restrict c)
{
    for (long xt = 0; xt < {x0}; ++xt)
    for (long yt = 0; yt < {y0}; ++yt)
    for (long yo = 0; yo < {y1}; ++yo)
    for (long xo = 0; xo < {x1}; ++xo) {
        const float* const ab = a + (yt * {y1} + yo) * {a_block};
        const float* const bb = b + (xt * {x1} + xo) * {b_block};
{declare}
        for (long ko = 0; ko < {k}; ko += {ki}) {
{parts}
        }
{each_row}
        for (int j = 0; j < {yi}; ++j) {
            float* const to = c + ((yt * {y1} + yo) * {yi} + j) * {n} + (xt * {x1} + xo) * {xi};
{store}
        }
    }
}
)";

/// Rows [first, first + rows) of a block.
inline constexpr const char* x86_dense_part = R"(
{load}
{each_k}
            for (long k = ko; k < ko + {ki}; ++k) {
                const float* const bk = bb + k * {xi};
{each_row}
                for (int j = 0; j < {rows}; ++j) {
                    const float e = ab[({first} + j) * {k} + k];
{add}
                }
            }
{save}
)";

inline constexpr const char* x86_batched_gemm_text = R"({preamble}
extern "C" void kernel(const float* __restrict a, const float* __restrict b, float* __restrict c)
{
    for (long n = 0; n < {batch}; ++n)
    for (long y = 0; y < {m}; y += {yi})
    for (long x = 0; x < {n}; x += {xi}) {
        const float* const ab = a + (n * {m} + y) * {k};
        const float* const bb = b + (n * {n} + x) * {k};
{declare}
        for (long k = 0; k < {k}; k += {vector})
{each}
        {
{add}
        }
{each}
        c[(n * {m} + y + j) * {n} + x + i] = {total};
    }
}
)";

/// With the flags that it wants: all vectors are in the text, and looking for more takes a quarter of the compiler's
/// time.
inline measure::source vectorised(std::string text)
{
    return {.text = std::move(text), .flags = {"-fno-tree-vectorize"}};
}

}  // namespace tunekit::kernels::detail
