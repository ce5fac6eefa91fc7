// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What tunekit asks of a translation unit: C++20, and infinities and NaN that mean something.

#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) < 202002L
#error "tunekit: needs C++20 (-std=c++20)"
#endif

// A failed fit is NaN and an arm never pulled scores +inf: with -ffinite-math-only the compiler may delete those tests.
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "tunekit: infinities and NaN carry meaning here; compile without -ffinite-math-only (part of -ffast-math)"
#endif
