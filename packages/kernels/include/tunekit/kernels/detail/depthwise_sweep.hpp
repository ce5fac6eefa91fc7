// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Depthwise micro-kernels that sweep over whole rows, channels in vectors.

#include <cstddef>
#include <type_traits>
#include <utility>

#include "tunekit/kernels/detail/vectors.hpp"

namespace tunekit::kernels::detail {

/// A sweep goes from output to output. An input column serves all outputs whose windows it lies in, so as many outputs
/// of each row are under way as windows overlap. They take turns in as many accumulators, and an unrolled turn is one
/// step of each.
template <int MR, int VL, int K, int S, machine M>
class sweep {
    static_assert(K >= S, "tunekit: depthwise sweep: a stride beyond the kernel");
    using vec = typename vector_of<VL>::type;
    static constexpr int lines = (MR - 1) * S + K;     // of input
    static constexpr int under_way = (K + S - 1) / S;  // outputs of a row
    using turn = std::make_integer_sequence<int, under_way>;

public:
    [[gnu::always_inline]] explicit sweep(const depthwise_sweep_args& a) : a_(a)
    {
#pragma GCC unroll 32
        for (int i = 0; i < lines; ++i) x_[i] = a.x[i];
#pragma GCC unroll 32
        for (int t = 0; t < K * K; ++t) {
            __builtin_memcpy(&w_[t], a.w + t * a.w_tap, sizeof(vec));
            keep_vector<M>(w_[t]);
        }
    }

    /// The first turns are for columns that serve outputs before their own: outputs below 0 are computed and not
    /// written.
    [[gnu::always_inline]] void run()
    {
        int o = 1 - under_way;
        while (o < a_.outputs) {
            if (o >= 0 && column(o, 0) >= 0) {
                for (; o + under_way <= a_.outputs && column(o + under_way - 1, S - 1) < a_.width; o += under_way)
                    inner(o, turn());
            }
            outer(o, turn());
            o += under_way;
        }
    }

private:
    /// The k-th of the last S columns of an output's window, which are those that the output before does not see.
    [[nodiscard]] int column(int o, int k) const { return o * S - a_.padding + K - S + k; }

    template <int... I>
    [[gnu::always_inline]] void inner(int o, std::integer_sequence<int, I...>)
    {
        (step<I>(o + I, std::false_type()), ...);
    }

    template <int... I>
    [[gnu::always_inline]] void outer(int o, std::integer_sequence<int, I...>)
    {
        (step<I>(o + I, std::true_type()), ...);
    }

    template <int I, bool AtBorder>
    [[gnu::always_inline]] void step(int o, std::bool_constant<AtBorder>)
    {
        if (AtBorder && o >= a_.outputs) return;
#pragma GCC unroll 8
        for (int k = 0; k < S; ++k) {
            const int c = column(o, k);
            if (AtBorder && (c < 0 || c >= a_.width)) clear<I>(k);
            else add<I>(k, c);
        }
        if (AtBorder && o < 0) return;
#pragma GCC unroll 16
        for (int m = 0; m < MR; ++m) __builtin_memcpy(a_.y + m * a_.y_row + o * a_.pixel, &acc_[I][m], sizeof(vec));
    }

    /// The column's products, to the output of step I and those behind it.
    template <int I>
    [[gnu::always_inline]] void add(int k, int c)
    {
#pragma GCC unroll 32
        for (int i = 0; i < lines; ++i) {
            vec x;
            __builtin_memcpy(&x, x_[i] + c * a_.pixel, sizeof(vec));
#pragma GCC unroll 16
            for (int m = 0; m < MR; ++m) {
                const int r = i - m * S;
                if (r < 0 || r >= K) continue;
#pragma GCC unroll 8
                for (int d = 0; d < under_way; ++d) {
                    const int s = K - S + k - d * S;
                    if (s < 0) continue;
                    vec& sum = acc_[(I + d) % under_way][m];
                    if (s == 0 && r == 0) sum = x * w_[0];
                    else sum += x * w_[r * K + s];
                }
            }
        }
    }

    /// What `add` does where the column is outside the image: an output that begins with it begins with 0.
    template <int I>
    [[gnu::always_inline]] void clear(int k)
    {
#pragma GCC unroll 8
        for (int d = 0; d < under_way; ++d) {
            if (K - S + k - d * S != 0) continue;
#pragma GCC unroll 16
            for (int m = 0; m < MR; ++m) acc_[(I + d) % under_way][m] = vec{};
        }
    }

    const depthwise_sweep_args& a_;
    const float* x_[static_cast<std::size_t>(lines)];
    typename vector_of<VL>::template list<K * K> w_;
    typename vector_of<VL>::template grid<under_way, MR> acc_{};
};

/// Its vectors never leave it.
template <int MR, int VL, int K, int S, machine M>
void depthwise_sweep_rows(const depthwise_sweep_args& a)
{
    sweep<MR, VL, K, S, M>(a).run();
}

}  // namespace tunekit::kernels::detail
