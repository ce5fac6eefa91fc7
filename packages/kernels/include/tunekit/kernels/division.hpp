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
#include "tunekit/kernels/names.hpp"
#include "tunekit/kernels/shapes.hpp"
#include "tunekit/space/product.hpp"

namespace tunekit::kernels {

/// What a matrix product is cut along.
enum class gemm_split : std::uint8_t {
    automatic,  ///< a batch into its matrices; one product along what has more tiles, its columns or its rows
    batch,      ///< into the matrices of the batch
    columns,    ///< into blocks of columns: every part reads all of A
    rows,       ///< into blocks of rows: every part reads all of B
};

/// The name of a setting, as it is written in configurations.
[[nodiscard]] constexpr const char* to_text(gemm_split s) noexcept
{
    return core::name_of(s, {"automatic", "batch", "columns", "rows"});
}

/// What a direct convolution is cut along.
enum class conv2d_split : std::uint8_t {
    automatic,  ///< into images where there are several, else into channels, or into rows where those are too few
    images,     ///< into those of the batch and their groups
    channels,   ///< into blocks of output channels: every part reads all inputs
    rows,       ///< into blocks of output rows: every part reads all weights
};

/// The name of a setting, as it is written in configurations.
[[nodiscard]] constexpr const char* to_text(conv2d_split s) noexcept
{
    return core::name_of(s, {"automatic", "images", "channels", "rows"});
}

/// How a kernel's work is divided among threads.
template <class Split>
struct basic_division {
    int parts = 1;                   ///< >= 1; the most parts, one for a thread
    Split split = Split::automatic;  ///< what is cut

    friend bool operator==(const basic_division&, const basic_division&) = default;
};

/// A division of a matrix product.
using gemm_division = basic_division<gemm_split>;

/// A division of a direct convolution.
using conv2d_division = basic_division<conv2d_split>;

namespace detail {

template <class Split>
inline constexpr auto fields<basic_division<Split>> =
    std::tuple{field{"parts", &basic_division<Split>::parts}, field{"split", &basic_division<Split>::split}};

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
        {gemm_split::batch, gemm_split::columns, gemm_split::rows}, threads, [shape](gemm_split s) {
            return s == gemm_split::batch ? shape.batch : s == gemm_split::columns ? shape.n : shape.m;
        });
}

/// Those of a direct convolution.
[[nodiscard]] inline auto division_parameters(const conv2d_shape& shape, int threads)
{
    require_valid(shape);
    return division_parameters({conv2d_split::images, conv2d_split::channels, conv2d_split::rows}, threads,
                               [shape](conv2d_split s) {
                                   return s == conv2d_split::images     ? shape.batch * shape.groups
                                          : s == conv2d_split::channels ? shape.co / shape.groups
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
/// It divides a configuration that is known. `parallel_gemm_space` has both: the best tile of one core is often that of
/// two, while the best blocks are smaller where a part is. Measure it on all cores that the parts use.
/// Throws: std::invalid_argument where threads < 1.
[[nodiscard]] inline auto gemm_division_space(const gemm_shape& shape, int threads)
{
    return detail::product_of(detail::division_parameters(shape, threads));
}

}  // namespace tunekit::kernels
