// SPDX-License-Identifier: MIT
#include "packages/kernels/table/families.hpp"

namespace programs::families {

std::span<const tunekit::kernels::detail::tile<>> tiles_2() { return column<2, lanes, 14>; }
std::span<const tunekit::kernels::detail::tile<>> half_tiles_2() { return column<2, lanes / 2, 6>; }

}  // namespace programs::families
