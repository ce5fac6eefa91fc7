// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The requirements on a translation unit: C++20, exceptions, and meaningful infinities and NaN. Every header includes
/// this one before its first declaration. A requirement that is not met is reported once, because the include of a
/// header that does not exist ends the compilation.

#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) < 202002L
#error "tunekit: needs C++20 (-std=c++20)"
#include <tunekit_needs_cpp20>
#endif

#if !defined(__cpp_exceptions)
#error "tunekit: reports bad arguments by exceptions; compile without -fno-exceptions"
#include <tunekit_needs_exceptions>
#endif

// A failed fit is NaN, and an arm that was never pulled scores +inf. With -ffinite-math-only the compiler may delete
// the tests for them.
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "tunekit: infinities and NaN carry meaning here; compile without -ffinite-math-only (part of -ffast-math)"
// exp, splits of trees and draws round by adding and taking away a power of two, which the flags below let the compiler
// leave out: searches then find less, and nothing says so. clang has no macro for them.
#elif defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || defined(__NO_SIGNED_ZEROS__)
#error \
    "tunekit: sums are in the order written here; compile without -fassociative-math, -freciprocal-math, -fno-signed-zeros"
#endif
