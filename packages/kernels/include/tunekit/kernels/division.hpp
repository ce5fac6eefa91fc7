// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// How a kernel's work is divided among threads, and the spaces of such divisions.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/kernels/config_of.hpp"
#include "tunekit/kernels/detail/space_parts.hpp"
#include "tunekit/kernels/shapes.hpp"
#include "tunekit/space/product.hpp"

namespace tunekit::kernels {

/// How a matrix product is divided among threads.
struct gemm_division {
    /// What is cut.
    enum class cut : std::uint8_t {
        automatic,  ///< a batch into its matrices; one product along what has more tiles, its columns or its rows
        batch,      ///< into the matrices of the batch
        columns,    ///< into blocks of columns: every part reads all of A
        rows,       ///< into blocks of rows: every part reads all of B
    };

    int parts = 1;               ///< >= 1; the most parts, one for a thread
    cut split = cut::automatic;  ///< what is cut

    friend bool operator==(const gemm_division&, const gemm_division&) = default;
};

/// How a direct convolution is divided among threads.
struct conv2d_division {
    /// What is cut.
    enum class cut : std::uint8_t {
        automatic,  ///< into images where there are several, else into channels, or into rows where those are too few
        images,     ///< into those of the batch and their groups
        channels,   ///< into blocks of output channels: every part reads all inputs
        rows,       ///< into blocks of output rows: every part reads all weights
    };

    int parts = 1;               ///< >= 1; the most parts, one for a thread
    cut split = cut::automatic;  ///< what is cut

    friend bool operator==(const conv2d_division&, const conv2d_division&) = default;
};

/// The name of a setting, as it is written in configurations.
[[nodiscard]] inline std::string to_text(gemm_division::cut c)
{
    return detail::name_of(c, {"automatic", "batch", "columns", "rows"});
}
[[nodiscard]] inline std::string to_text(conv2d_division::cut c)
{
    return detail::name_of(c, {"automatic", "images", "channels", "rows"});
}

namespace detail {

template <class Division>
    requires requires { typename Division::cut; }
inline constexpr auto fields<Division> = std::tuple{field{"parts", &Division::parts}, field{"split", &Division::split}};

/// The parameters `parts` and `split`: 1 to `threads` parts of a thing that has `length(split)` elements along a split.
template <class Split, class Length>
[[nodiscard]] auto division_parameters(std::initializer_list<Split> all, int threads, const Length& length)
{
    require(threads >= 1, "threads is " + std::to_string(threads) + ", want >= 1");
    int most = 1;
    std::vector<Split> splits;
    for (const Split s : all) {
        if (length(s) <= 1) continue;
        splits.push_back(s);
        most = (std::max)(most, length(s));
    }
    if (splits.empty()) splits.push_back(*all.begin());
    std::vector<int> parts;
    for (int p = 1; p <= (std::min)(threads, most); ++p) parts.push_back(p);
    const auto fits = [length, first = splits.front()](int p, Split s) { return p == 1 ? s == first : p <= length(s); };
    return std::tuple{space::parameter<"parts">(std::move(parts)), space::parameter<"split">(splits),
                      space::where<"parts", "split">(fits)};
}

/// Those of a product.
[[nodiscard]] inline auto division_parameters(const gemm_shape& shape, int threads)
{
    require_valid(shape);
    return division_parameters(
        {gemm_division::cut::batch, gemm_division::cut::columns, gemm_division::cut::rows}, threads,
        [shape](gemm_division::cut s) {
            return s == gemm_division::cut::batch ? shape.batch : s == gemm_division::cut::columns ? shape.n : shape.m;
        });
}

/// Those of a direct convolution.
[[nodiscard]] inline auto division_parameters(const conv2d_shape& shape, int threads)
{
    require_valid(shape);
    return division_parameters(
        {conv2d_division::cut::images, conv2d_division::cut::channels, conv2d_division::cut::rows}, threads,
        [shape](conv2d_division::cut s) {
            return s == conv2d_division::cut::images     ? shape.batch * shape.groups
                   : s == conv2d_division::cut::channels ? shape.co / shape.groups
                                                         : shape.oh();
        });
}

/// Calls use(begin, size) for at most `count` ranges of nearly equal length that begin at multiples of `step`.
template <class Use>
void divide(int length, int step, int count, const Use& use)
{
    const int steps = (length + step - 1) / step;
    for (int i = 0; i < count; ++i) {
        const auto at = [&](int k) {
            return (std::min)(length, static_cast<int>(std::ptrdiff_t{steps} * k / count) * step);
        };
        if (at(i) < at(i + 1)) use(at(i), at(i + 1) - at(i));
    }
}

}  // namespace detail

/// The divisions of the product of `shape` among at most `threads` threads.
///
/// | parameter | values | constraint |
/// |---|---|---|
/// | parts | 1, 2, ..., threads | no more than what is cut has elements |
/// | split | batch, columns, rows: those of more than one element | the first of them where parts is 1 |
///
/// It divides a configuration that is known. `gemm_space` for several threads has both: the best tile of one core is
/// often that of two, while the best blocks are smaller where a part is. Measure it on all cores that the parts use.
/// Throws: std::invalid_argument where threads < 1.
[[nodiscard]] inline auto gemm_division_space(const gemm_shape& shape, int threads)
{
    return detail::product_of(detail::division_parameters(shape, threads));
}

}  // namespace tunekit::kernels
