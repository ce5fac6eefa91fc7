// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The sizes of one convolution and of one matrix product, and the work in them.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>

#include "tunekit/core/error.hpp"

namespace tunekit::kernels {

namespace detail {

/// A product of sizes, the largest int64 where it is larger.
[[nodiscard]] constexpr std::int64_t product(std::initializer_list<std::int64_t> sizes) noexcept
{
    std::int64_t out = 1;
    double all = 1;
    for (const std::int64_t size : sizes) {
        all *= static_cast<double>(size);
        if (all >= 0x1p63) return (std::numeric_limits<std::int64_t>::max)();
        out *= size;
    }
    return out;
}

/// The outputs along one axis.
[[nodiscard]] constexpr int outputs_along(int size, int padding, int kernel, int stride) noexcept
{
    return static_cast<int>((std::int64_t{size} + 2 * std::int64_t{padding} - kernel) / stride + 1);
}

}  // namespace detail

/// A two-dimensional convolution of a batch of images. An aggregate: name what you set.
///
///     constexpr conv2d_shape shape{.ci = 64, .height = 56, .width = 56, .co = 64,
///                                  .kernel_h = 3, .kernel_w = 3, .padding_h = 1, .padding_w = 1};
///
/// y[b][o][p][q] = sum over i, r, s of x[b][i][p stride_h + r - padding_h][q stride_w + s - padding_w] w[o][i][r][s],
/// where x is 0 outside the image.
///
/// With `groups` g the channels are divided into g equal parts. Outputs of part j depend only on inputs of part j, and
/// the weights are [co][ci / g][kernel_h][kernel_w]. If g = ci the convolution is depthwise, with co / ci outputs for
/// each input.
struct conv2d_shape {
    int batch = 1;                     ///< images
    int ci = 1;                        ///< input channels
    int height = 1, width = 1;         ///< of the input
    int co = 1;                        ///< output channels
    int kernel_h = 1, kernel_w = 1;    ///< of the filters
    int stride_h = 1, stride_w = 1;    ///< between outputs
    int padding_h = 0, padding_w = 0;  ///< on each side
    int groups = 1;                    ///< divides ci and co

    /// The height of the output.
    [[nodiscard]] constexpr int oh() const noexcept
    {
        return detail::outputs_along(height, padding_h, kernel_h, stride_h);
    }
    /// The width of the output.
    [[nodiscard]] constexpr int ow() const noexcept
    {
        return detail::outputs_along(width, padding_w, kernel_w, stride_w);
    }

    /// The number of multiplications, including those with padding; at most 2^63 - 1.
    [[nodiscard]] constexpr std::int64_t macs() const noexcept
    {
        return detail::product({batch, oh(), ow(), co, ci / groups, kernel_h, kernel_w});
    }
    /// Two for each multiplication, however many there are.
    [[nodiscard]] constexpr double flops() const noexcept
    {
        const int each = ci / groups;
        return 2.0 * batch * oh() * ow() * co * each * kernel_h * kernel_w;
    }

    /// The number of floats of the input; at most 2^63 - 1, as those below.
    [[nodiscard]] constexpr std::int64_t inputs() const noexcept { return detail::product({batch, ci, height, width}); }
    /// The number of floats of the weights.
    [[nodiscard]] constexpr std::int64_t weights() const noexcept
    {
        return detail::product({co, ci / groups, kernel_h, kernel_w});
    }
    /// The number of floats of the output.
    [[nodiscard]] constexpr std::int64_t outputs() const noexcept { return detail::product({batch, co, oh(), ow()}); }

    /// Whether it has Winograd's form: 3 x 3, without stride, without groups.
    [[nodiscard]] constexpr bool fits_winograd() const noexcept
    {
        return kernel_h == 3 && kernel_w == 3 && stride_h == 1 && stride_w == 1 && groups == 1;
    }

    friend bool operator==(const conv2d_shape&, const conv2d_shape&) = default;
};

/// A square convolution of a square image, as the tables of networks give them.
[[nodiscard]] constexpr conv2d_shape square_conv2d(int ci, int size, int co, int kernel, int stride,
                                                   int padding) noexcept
{
    return {.ci = ci,
            .height = size,
            .width = size,
            .co = co,
            .kernel_h = kernel,
            .kernel_w = kernel,
            .stride_h = stride,
            .stride_w = stride,
            .padding_h = padding,
            .padding_w = padding};
}

/// A batch of matrix products C = A B of m x k by k x n matrices.
struct gemm_shape {
    int batch = 1;            ///< products
    int m = 1, n = 1, k = 1;  ///< rows of A, columns of B, columns of A

    /// The number of multiplications; at most 2^63 - 1.
    [[nodiscard]] constexpr std::int64_t macs() const noexcept { return detail::product({batch, m, n, k}); }
    /// Two for each multiplication, however many there are.
    [[nodiscard]] constexpr double flops() const noexcept { return 2.0 * batch * m * n * k; }

    friend bool operator==(const gemm_shape&, const gemm_shape&) = default;
};

/// Distances in elements between rows, and between the matrices of a batch.
struct gemm_strides {
    std::ptrdiff_t lda = 0, ldb = 0, ldc = 0;              ///< from row to row
    std::ptrdiff_t batch_a = 0, batch_b = 0, batch_c = 0;  ///< from matrix to matrix

    /// The strides of dense row-major matrices.
    [[nodiscard]] static constexpr gemm_strides dense(const gemm_shape& s) noexcept
    {
        return {.lda = s.k,
                .ldb = s.n,
                .ldc = s.n,
                .batch_a = std::ptrdiff_t{s.m} * s.k,
                .batch_b = std::ptrdiff_t{s.k} * s.n,
                .batch_c = std::ptrdiff_t{s.m} * s.n};
    }
};

namespace detail {

/// One group of one image: a convolution without groups, on a part of the channels.
[[nodiscard]] constexpr conv2d_shape group_of(conv2d_shape s) noexcept
{
    s.ci /= s.groups;
    s.co /= s.groups;
    s.batch = s.groups = 1;
    return s;
}

/// Throws std::invalid_argument where what is counted is 2^63 or more.
inline void require_countable(std::int64_t counted, const char* what)
{
    require(counted < (std::numeric_limits<std::int64_t>::max)(), std::string(what) + " are 2^63 or more, want fewer");
}

/// Checks a shape. Throws std::invalid_argument where a size is not positive, a padding negative, the output empty, the
/// channels not a multiple of the groups, or a padded side, the inputs or the multiplications too many.
inline void require_valid(const conv2d_shape& s)
{
    require(s.batch > 0 && s.ci > 0 && s.height > 0 && s.width > 0 && s.co > 0 && s.kernel_h > 0 && s.kernel_w > 0 &&
                s.stride_h > 0 && s.stride_w > 0,
            "conv2d_shape: a size or stride is below 1, want >= 1");
    require(s.padding_h >= 0 && s.padding_w >= 0 && s.padding_h < s.kernel_h && s.padding_w < s.kernel_w,
            "conv2d_shape: padding is " + std::to_string(s.padding_h) + " x " + std::to_string(s.padding_w) +
                ", want >= 0 and less than the kernel");
    const std::int64_t high = s.height + 2 * std::int64_t{s.padding_h}, wide = s.width + 2 * std::int64_t{s.padding_w};
    require(high >= s.kernel_h && wide >= s.kernel_w,
            "conv2d_shape: the kernel is larger than the padded image, want an output");
    constexpr int most = (std::numeric_limits<int>::max)();
    require(high <= most && wide <= most, "conv2d_shape: the padded image is " + std::to_string(high) + " x " +
                                              std::to_string(wide) + ", want sides below 2^31");
    require(s.groups > 0 && s.ci % s.groups == 0 && s.co % s.groups == 0,
            "conv2d_shape: groups is " + std::to_string(s.groups) + ", want a divisor of the " + std::to_string(s.ci) +
                " input and " + std::to_string(s.co) + " output channels");
    require_countable(s.macs(), "conv2d_shape: multiplications");
    require_countable(s.inputs(), "conv2d_shape: inputs");
}

/// The same check, which also refuses groups, for kernels without them.
inline void require_ungrouped(const conv2d_shape& s)
{
    require_valid(s);
    require(s.groups == 1, "conv2d_shape: groups is " + std::to_string(s.groups) + ", want 1 for this kernel");
}

/// Checks a shape. Throws std::invalid_argument where a size is not positive, or the number of multiplications too
/// large.
inline void require_valid(const gemm_shape& s)
{
    require(s.batch > 0 && s.m > 0 && s.n > 0 && s.k > 0, "gemm_shape: a size is below 1, want >= 1");
    require_countable(s.macs(), "gemm_shape: multiplications");
}

}  // namespace detail

}  // namespace tunekit::kernels
