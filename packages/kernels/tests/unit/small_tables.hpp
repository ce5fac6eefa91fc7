// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include "tunekit/kernels/make_product_table.hpp"

// Small tiles of plain code in any number format, for any machine.

template <class F>
inline constexpr std::array small_tiles{
    tunekit::kernels::make_tile<F, 1, 1, 4>(), tunekit::kernels::make_tile<F, 2, 1, 4>(),
    tunekit::kernels::make_tile<F, 3, 1, 4>(), tunekit::kernels::make_tile<F, 4, 1, 4>(),
    tunekit::kernels::make_tile<F, 1, 2, 4>(), tunekit::kernels::make_tile<F, 2, 2, 4>(),
    tunekit::kernels::make_tile<F, 1, 3, 4>(), tunekit::kernels::make_tile<F, 2, 3, 4>(),
    tunekit::kernels::make_tile<F, 1, 8, 4>(), tunekit::kernels::make_tile<F, 1, 1, 16>(),
    tunekit::kernels::make_tile<F, 2, 1, 16>()};

template <class F>
const tunekit::kernels::product_table<F>& small_table()
{
    static constexpr tunekit::kernels::product_table<F> table = tunekit::kernels::make_table<F>(small_tiles<F>);
    return table;
}
