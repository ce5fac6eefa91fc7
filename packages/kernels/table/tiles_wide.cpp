// SPDX-License-Identifier: MIT
#include "packages/kernels/table/families.hpp"

namespace programs::families {

std::span<const tunekit::kernels::detail::tile<>> tiles_4() { return column<4, lanes, 7>; }
std::span<const tunekit::kernels::detail::tile<>> tiles_6() { return column<6, lanes, 4>; }

}  // namespace programs::families
