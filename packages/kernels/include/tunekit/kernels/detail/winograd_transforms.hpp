// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The transforms of Winograd's convolutions F(m, 3), applied to lines of vectors.

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "tunekit/kernels/detail/vectors.hpp"
#include "tunekit/kernels/detail/winograd_matrices.hpp"

namespace tunekit::kernels::detail {

/// f(integral_constant 0), ..., f(N - 1).
template <std::size_t N, class F>
[[gnu::always_inline]] inline void unrolled(const F& f)
{
    const auto each = [&]<std::size_t... J>(std::index_sequence<J...>)
                          __attribute__((always_inline)) { (f(std::integral_constant<std::size_t, J>{}), ...); };
    each(std::make_index_sequence<N>{});
}

/// What one input adds to a sum, known to the compiler.
struct term {
    double factor = 0;
    bool first = false;  ///< nothing was added before
};

/// sum += factor x, or = where it is the first; without a multiplication by 1 or -1 and without anything where the
/// factor is 0.
template <term T, class Vector>
[[gnu::always_inline]] inline void add(Vector& sum, const Vector& x)
{
    constexpr auto factor = static_cast<float>(T.factor);
    if constexpr (T.factor == 0) return;
    else if constexpr (T.first) sum = T.factor == 1 ? x : T.factor == -1 ? -x : x * factor;
    else if constexpr (T.factor == 1) sum += x;
    else if constexpr (T.factor == -1) sum -= x;
    else sum += x * factor;
}

/// Whether points i and i + 1 are opposite.
template <int M>
[[nodiscard]] constexpr bool opposite(std::size_t i) noexcept
{
    constexpr auto& p = winograd_points<M>;
    return i + 1 < p.size() && p[i] > 0 && p[i + 1] == -p[i];
}

/// The terms of a transform: of the input transform's rows, where those of one sign and those that flip it at the
/// opposite point are two sums; of the outputs, once opposite inputs have become a sum (in the first's place) and a
/// difference (in the second's).
template <std::size_t M>
struct winograd_terms {
    static constexpr std::size_t t = M + 2;
    std::array<std::array<term, t>, t> input{};
    std::array<std::array<bool, t>, t> flips{};
    std::array<std::array<term, t>, M> output{};
};

template <int M>
inline constexpr auto terms_of = [] {
    constexpr auto m = winograd_matrices_of<M>();
    winograd_terms<static_cast<std::size_t>(M)> out;
    for (std::size_t r = 0; r < out.t; ++r) {
        bool began[2] = {false, false};
        for (std::size_t k = 0; k < out.t; ++k) {
            const bool flips = opposite<M>(r) && m.b[r + 1][k] != m.b[r][k];
            out.flips[r][k] = flips;
            out.input[r][k] = {m.b[r][k], !began[flips]};
            began[flips] = began[flips] || m.b[r][k] != 0;
        }
    }
    for (std::size_t k = 0; k < out.output.size(); ++k) {
        bool began = false;
        for (std::size_t i = 0; i < out.t; ++i) {
            const bool second = i > 0 && opposite<M>(i - 1);
            const bool skips = second ? k % 2 == 0 : opposite<M>(i) && k % 2 == 1;
            const double factor = skips ? 0 : m.a[k][second ? i - 1 : i];
            out.output[k][i] = {factor, !began};
            began = began || factor != 0;
        }
    }
    return out;
}();

/// Rows of opposite points differ in the signs of every other column: each such pair of results is a sum and a
/// difference.
template <int M, int VL>
[[gnu::always_inline]] inline void transform_input(const winograd_pass& a, const float* in, float* out, auto whole)
{
    using vec = typename vector_of<VL>::type;
    constexpr std::size_t t = M + 2;
    vec d[t];
    unrolled<t>([&](auto k) __attribute__((always_inline)) {
        constexpr int at = static_cast<int>(k());
        if constexpr (decltype(whole)::value) __builtin_memcpy(&d[k()], in + at * a.in_step, sizeof(vec));
        else if (a.first <= at && at < a.last) __builtin_memcpy(&d[k()], in + (at - a.first) * a.in_step, sizeof(vec));
        else d[k()] = vec{};
    });
    unrolled<t>([&](auto i) __attribute__((always_inline)) {
        constexpr std::size_t r = i();
        float* const to = out + static_cast<std::ptrdiff_t>(r) * a.out_step;
        if constexpr (r == 0 || !opposite<M>(r - 1)) {
            vec same{}, other{};
            unrolled<t>([&](auto k) __attribute__((always_inline)) {
                add<terms_of<M>.input[r][k()]>(terms_of<M>.flips[r][k()] ? other : same, d[k()]);
            });
            if constexpr (opposite<M>(r)) {
                const vec sum = same + other, difference = same - other;
                __builtin_memcpy(to, &sum, sizeof(vec));
                __builtin_memcpy(to + a.out_step, &difference, sizeof(vec));
            } else {
                __builtin_memcpy(to, &same, sizeof(vec));
            }
        }
    });
}

/// Opposite points have equal even powers and opposite odd ones: their inputs enter as a sum and as a difference.
template <int M, int VL>
[[gnu::always_inline]] inline void transform_output(const winograd_pass& a, const float* in, float* out)
{
    using vec = typename vector_of<VL>::type;
    constexpr std::size_t t = M + 2;
    vec d[t];
    unrolled<t>([&](auto k) __attribute__((always_inline)) {
        __builtin_memcpy(&d[k()], in + static_cast<std::ptrdiff_t>(k()) * a.in_step, sizeof(vec));
    });
    unrolled<t>([&](auto i) __attribute__((always_inline)) {
        if constexpr (opposite<M>(i())) {
            const vec sum = d[i()] + d[i() + 1];
            d[i() + 1] = d[i()] - d[i() + 1];
            d[i()] = sum;
        }
    });
    unrolled<static_cast<std::size_t>(M)>([&](auto k) __attribute__((always_inline)) {
        vec y{};
        unrolled<t>([&](auto i) __attribute__((always_inline)) { add<terms_of<M>.output[k()][i()]>(y, d[i()]); });
        if (static_cast<int>(k()) < a.outputs)
            __builtin_memcpy(out + static_cast<std::ptrdiff_t>(k()) * a.out_step, &y, sizeof(vec));
    });
}

/// The input transform of one tile size; its vectors never leave it.
template <int M, int VL, machine>
void winograd_input(const winograd_pass& pass)
{
    const winograd_pass a = pass;  // no store can change it
    const auto each = [&](auto whole) {
        for (int l = 0; l < a.lines; ++l) {
            for (int v = 0; v < a.vectors; ++v) {
                transform_input<M, VL>(a, a.in + l * a.in_line + v * VL, a.out + l * a.out_line + v * VL, whole);
            }
        }
    };
    if (a.first <= 0 && a.last >= M + 2) each(std::true_type{});
    else each(std::false_type{});
}

/// The output transform of one tile size.
template <int M, int VL, machine>
void winograd_output(const winograd_pass& pass)
{
    const winograd_pass a = pass;
    for (int l = 0; l < a.lines; ++l) {
        for (int v = 0; v < a.vectors; ++v) {
            transform_output<M, VL>(a, a.in + l * a.in_line + v * VL, a.out + l * a.out_line + v * VL);
        }
    }
}

}  // namespace tunekit::kernels::detail
