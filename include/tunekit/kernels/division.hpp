// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// How a kernel's work is divided among threads, and the spaces of such divisions.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

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
[[nodiscard]] constexpr const char* to_text(gemm_split split) noexcept
{
    constexpr std::array<const char*, 4> texts{"automatic", "batch", "columns", "rows"};
    return texts[static_cast<std::size_t>(split)];
}

/// A division of a matrix product.
struct gemm_division {
    int parts = 1;                             ///< >= 1; the most parts, one for a thread
    gemm_split split = gemm_split::automatic;  ///< what is cut

    friend bool operator==(const gemm_division&, const gemm_division&) = default;
};

/// The divisions of the product of `shape` among at most `threads` threads.
///
/// | parameter | values | constraint |
/// |---|---|---|
/// | parts | 1, 2, ..., threads | no more than what is cut has elements |
/// | split | batch, columns, rows: those of more than one element | the first of them where parts is 1 |
///
/// Tune it with a configuration of `gemm_space` in place, on all cores that the parts use: the best tile of one core is
/// nearly always that of two, while the best division depends on which matrix outgrows a cache.
/// Throws: std::invalid_argument where threads < 1.
[[nodiscard]] inline auto gemm_division_space(const gemm_shape& shape, int threads)
{
    require_valid(shape);
    require(threads >= 1, "gemm_division_space: threads is below 1, want >= 1");
    std::vector<int> parts;
    for (int p = 1; p <= threads; ++p) parts.push_back(p);
    const auto length = [shape](gemm_split s) {
        return s == gemm_split::batch ? shape.batch : s == gemm_split::columns ? shape.n : shape.m;
    };
    std::vector<gemm_split> splits;
    for (const gemm_split s : {gemm_split::batch, gemm_split::columns, gemm_split::rows})
        if (length(s) > 1) splits.push_back(s);
    if (splits.empty()) splits.push_back(gemm_split::columns);
    return space::product{space::parameter<"parts">(std::move(parts)), space::parameter<"split">(splits),
                          space::where<"parts", "split">([length, first = splits.front()](int p, gemm_split s) {
                              return p == 1 ? s == first : p <= length(s);
                          })};
}

/// The division of a point in `gemm_division_space`.
template <class... Parameters>
[[nodiscard]] gemm_division gemm_division_of(const space::configuration<Parameters...>& c)
{
    return {.parts = get<"parts">(c), .split = get<"split">(c)};
}

namespace detail {

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
}  // namespace tunekit::kernels
