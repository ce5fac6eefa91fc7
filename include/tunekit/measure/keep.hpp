// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Keeps a compiler from removing a kernel whose result is not used.

namespace tunekit::measure {

namespace detail {

/// A barrier for the compiler: every store before it is made before it, and every load after it reads memory again.
/// Cost: no instruction.
inline void keep_stores() noexcept { asm volatile("" ::: "memory"); }

}  // namespace detail

/// Makes the compiler compute `value`, although nothing uses it. Use it for kernels whose result is a number.
///
///     timed{[&](const auto& p) { keep(dot(x, y, tk::get<"unroll">(p))); }}
///
/// Cost: at most a store.
template <class T>
void keep(const T& value) noexcept
{
    asm volatile("" : : "r"(&value) : "memory");
}

}  // namespace tunekit::measure
