// SPDX-License-Identifier: MIT
// A table of one's own: the tiles that a program wants, and no others. Compile with -O3 -march=native.
#include "packages/kernels/table/kernel_table.hpp"

#include <array>

#include "tunekit/kernels/make_table.hpp"

namespace tk = tunekit::kernels;

namespace {

constexpr int lanes = tk::native.lanes;
constexpr std::array tiles{tk::make_tile<1, 2, lanes>(), tk::make_tile<2, 2, lanes>(), tk::make_tile<3, 2, lanes>(),
                           tk::make_tile<4, 2, lanes>(), tk::make_tile<5, 2, lanes>(), tk::make_tile<6, 2, lanes>(),
                           tk::make_tile<1, 3, lanes>(), tk::make_tile<2, 3, lanes>(), tk::make_tile<3, 3, lanes>(),
                           tk::make_tile<4, 3, lanes>()};

}  // namespace

const tk::tile_table& kernel_table()
{
    static constexpr tk::tile_table table = tk::make_table(tiles);
    return table;
}
