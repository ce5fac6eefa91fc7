// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Short vectors, and what keeps them in registers: for the micro-kernels.

#include <cstddef>

#include "tunekit/kernels/detail/micro_kernel.hpp"

namespace tunekit::kernels::detail {

template <int VL, class T = float>
struct vector_of {
    typedef T type __attribute__((vector_size(VL * sizeof(T))));
    template <int N>
    using list = type[static_cast<std::size_t>(N)];
    template <int M, int N>
    using grid = type[static_cast<std::size_t>(M)][static_cast<std::size_t>(N)];
};

/// One address for every three rows.
template <int MR, class T = float>
using row_addresses = const T * [static_cast<std::size_t>(MR + 2) / 3];

/// Tells the optimiser that a register's value is news, without an instruction: it then neither loads it again from
/// memory where it has a register for it, nor turns one bumped pointer into many.
template <machine M, class T>
[[gnu::always_inline]] inline void keep_vector([[maybe_unused]] T& v)
{
    if constexpr (sizeof(T) == static_cast<std::size_t>(M.lanes) * sizeof(float)) {
#if defined(__x86_64__)
        __asm__("" : "+x"(v));
#elif defined(__aarch64__)
        __asm__("" : "+w"(v));
#endif
    }
}

template <class T>
[[gnu::always_inline]] inline void keep_pointer(T*& p)
{
    __asm__("" : "+r"(p));
}

}  // namespace tunekit::kernels::detail
