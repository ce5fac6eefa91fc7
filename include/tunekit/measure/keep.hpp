// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What keeps a compiler from removing a kernel whose result nobody reads.

namespace tunekit::measure {

/// Every store before this happens before it, and every load after it reads memory anew. Costs no instruction.
inline void keep_stores() noexcept { asm volatile("" ::: "memory"); }

/// Has the compiler compute `value`, although nobody reads it: for kernels whose result is a number.
///
///     timed{[&](const auto& p) { keep(dot(x, y, tk::get<"unroll">(p))); }}
///
/// Costs at most a store.
template <class T>
void keep(const T& value) noexcept
{
    asm volatile("" : : "r"(&value) : "memory");
}

}  // namespace tunekit::measure
