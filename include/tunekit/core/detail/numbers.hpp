// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The C library's reading of numbers, whatever locale a program has set.

#include <locale.h>
#include <stdlib.h>

#include "tunekit/core/detail/system.hpp"

#if TUNEKIT_ON_APPLE
#include <xlocale.h>
#endif

namespace tunekit::core::detail {

/// `strtod` in the locale "C", of a text that is a number as a whole.
[[nodiscard]] inline double plain_strtod(const char* text) noexcept
{
#if TUNEKIT_ON_WINDOWS
    static const _locale_t plain = ::_create_locale(LC_ALL, "C");
    return ::_strtod_l(text, nullptr, plain);
#elif TUNEKIT_ON_APPLE
    return ::strtod_l(text, nullptr, nullptr);  // no locale is the locale "C" there
#else
    return ::strtod_l(text, nullptr, ::newlocale(LC_ALL_MASK, "C", nullptr));  // a constant of the library
#endif
}

}  // namespace tunekit::core::detail
