// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Reference results: the definitions computed plainly in wider numbers, for checking fast kernels.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tunekit/kernels/formats.hpp"
#include "tunekit/kernels/shapes.hpp"

namespace tunekit::kernels {

namespace detail {

/// What sums of a format's reference are computed in.
template <class Format>
struct wide_sum {
    using type = double;
};
template <>
struct wide_sum<formats::fp64> {
    using type = long double;
};
template <>
struct wide_sum<formats::u8s8> {
    using type = std::int64_t;
};

}  // namespace detail

/// The convolution by its definition at `conv2d_shape` in a number format, from NCHW input and OIHW weights, in NCHW.
/// Each sum is computed in wider numbers, as by `reference_gemm`.
/// Preconditions: the spans have shape.inputs() and shape.weights() elements. Cost: macs() multiplications.
template <class Format = formats::fp32>
[[nodiscard]] std::vector<typename Format::sum> reference_conv2d(const conv2d_shape& s,
                                                                 std::span<const typename Format::left> x,
                                                                 std::span<const typename Format::right> w)
{
    using wide = typename detail::wide_sum<Format>::type;
    const auto at = [](int a) { return static_cast<std::size_t>(a); };
    const int ci = s.ci / s.groups, co = s.co / s.groups;
    std::vector<typename Format::sum> y(static_cast<std::size_t>(s.outputs()));
    std::vector<wide> row(at(s.ow()));
    auto* out = y.data();
    for (int b = 0; b < s.batch; ++b) {
        for (int o = 0; o < s.co; ++o) {
            for (int p = 0; p < s.oh(); ++p) {
                row.assign(at(s.ow()), wide{});
                for (int i = 0; i < ci; ++i) {
                    for (int r = 0; r < s.kernel_h; ++r) {
                        const int ih = p * s.stride_h + r - s.padding_h;
                        if (ih < 0 || ih >= s.height) continue;
                        const int channel = o / co * ci + i;
                        const auto* in =
                            x.data() + ((at(b) * at(s.ci) + at(channel)) * at(s.height) + at(ih)) * at(s.width);
                        for (int t = 0; t < s.kernel_w; ++t) {
                            const std::size_t tap =
                                ((at(o) * at(ci) + at(i)) * at(s.kernel_h) + at(r)) * at(s.kernel_w) + at(t);
                            const auto weight = static_cast<wide>(w[tap]);
                            for (int q = 0; q < s.ow(); ++q) {
                                const int iw = q * s.stride_w + t - s.padding_w;
                                if (iw >= 0 && iw < s.width) row[at(q)] += weight * static_cast<wide>(in[iw]);
                            }
                        }
                    }
                }
                for (const wide sum : row) *out++ = static_cast<typename Format::sum>(sum);
            }
        }
    }
    return y;
}

/// The product C = A B for each of the batch in a number format, all row-major and dense. Each sum is computed in
/// double (fp32, bf16), long double (fp64) or 64 bits (u8s8). It is rounded once, or taken modulo 2^32.
template <class Format = formats::fp32>
[[nodiscard]] std::vector<typename Format::sum> reference_gemm(const gemm_shape& s,
                                                               std::span<const typename Format::left> a,
                                                               std::span<const typename Format::right> b)
{
    using wide = typename detail::wide_sum<Format>::type;
    const auto m = static_cast<std::size_t>(s.m), n = static_cast<std::size_t>(s.n), k = static_cast<std::size_t>(s.k);
    std::vector<typename Format::sum> c(static_cast<std::size_t>(s.batch) * m * n);
    std::vector<wide> row(n);
    for (std::size_t batch = 0; batch < static_cast<std::size_t>(s.batch); ++batch) {
        for (std::size_t i = 0; i < m; ++i) {
            row.assign(n, wide{});
            for (std::size_t l = 0; l < k; ++l) {
                const auto left = static_cast<wide>(a[(batch * m + i) * k + l]);
                for (std::size_t j = 0; j < n; ++j) row[j] += left * static_cast<wide>(b[(batch * k + l) * n + j]);
            }
            for (std::size_t j = 0; j < n; ++j) c[(batch * m + i) * n + j] = static_cast<typename Format::sum>(row[j]);
        }
    }
    return c;
}

namespace detail {

template <class T>
[[nodiscard]] double relative_error_of(std::span<const T> a, std::span<const T> b)
{
    if (a.size() != b.size()) return HUGE_VAL;
    double worst = 0, scale = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double difference = std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
        if (!(difference <= worst)) worst = std::isnan(difference) ? HUGE_VAL : difference;
        if (std::fabs(static_cast<double>(b[i])) > scale) scale = std::fabs(static_cast<double>(b[i]));
    }
    return worst == 0 ? 0 : scale == 0 ? HUGE_VAL : worst / scale;
}

}  // namespace detail

/// The relative error: the largest |a - b| over the largest |b|; +inf where an element is NaN or the sizes differ. It
/// is NaN where one of `b` is infinite, equal or not: compare with `measure::close_to`, or refuse by !(error < limit).
[[nodiscard]] inline double relative_error(std::span<const float> a, std::span<const float> b)
{
    return detail::relative_error_of(a, b);
}

/// The same of doubles.
[[nodiscard]] inline double relative_error(std::span<const double> a, std::span<const double> b)
{
    return detail::relative_error_of(a, b);
}

/// The same of integers.
[[nodiscard]] inline double relative_error(std::span<const std::int32_t> a, std::span<const std::int32_t> b)
{
    return detail::relative_error_of(a, b);
}

}  // namespace tunekit::kernels
