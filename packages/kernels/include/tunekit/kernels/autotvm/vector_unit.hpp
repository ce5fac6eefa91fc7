// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The vector unit for which code is generated.

#include "tunekit/core/config.hpp"

namespace tunekit::kernels {

/// The vector unit of a machine.
struct vector_unit {
    int lanes = 4;  ///< floats in one; a power of two

    /// The vector unit of this machine, for which -march=native compiles.
    [[nodiscard]] static vector_unit host() noexcept
    {
#if defined(__x86_64__) || defined(__i386__)
        if (__builtin_cpu_supports("avx512f")) return {16};
        if (__builtin_cpu_supports("avx")) return {8};
#endif
        return {4};
    }

    friend bool operator==(const vector_unit&, const vector_unit&) = default;
};

}  // namespace tunekit::kernels
