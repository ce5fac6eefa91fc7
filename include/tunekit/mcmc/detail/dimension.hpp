// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Short loops over coordinates, unrolled where the number of dimensions is small.

#include <cstddef>
#include <type_traits>

#include "tunekit/core/config.hpp"

namespace tunekit::mcmc::detail {

/// Calls `f` with `dimensions`: as a compile-time constant up to 6, where loops of unknown length would cost more than their
/// work, and as a number beyond.
template <class F>
void for_dimensions(std::size_t dimensions, F&& f)
{
    switch (dimensions) {
        case 1:
            return f(std::integral_constant<std::size_t, 1>{});
        case 2:
            return f(std::integral_constant<std::size_t, 2>{});
        case 3:
            return f(std::integral_constant<std::size_t, 3>{});
        case 4:
            return f(std::integral_constant<std::size_t, 4>{});
        case 5:
            return f(std::integral_constant<std::size_t, 5>{});
        case 6:
            return f(std::integral_constant<std::size_t, 6>{});
        default:
            return f(dimensions);
    }
}

}  // namespace tunekit::mcmc::detail
