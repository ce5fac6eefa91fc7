// SPDX-License-Identifier: MIT
#include "packages/kernels/table/families.hpp"

namespace programs::families {

std::span<const tunekit::kernels::detail::tile<>> tiles_1() { return column<1, lanes, 8>; }
std::span<const tunekit::kernels::detail::tile<>> tiles_3() { return column<3, lanes, 8>; }

}  // namespace programs::families
