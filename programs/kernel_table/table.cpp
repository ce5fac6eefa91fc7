// SPDX-License-Identifier: MIT
#include <vector>

#include "programs/kernel_table.hpp"
#include "programs/kernel_table/families.hpp"

namespace tk = tunekit::kernels;
namespace families = programs::families;

const tk::tile_table& kernel_table()
{
    static const std::vector<tk::tile> tiles = [] {
        std::vector<tk::tile> all;
        for (const auto column : {families::tiles_1(), families::tiles_2(), families::tiles_3(), families::tiles_4(),
                                  families::tiles_6(), families::half_tiles_2()})
            all.insert(all.end(), column.begin(), column.end());
        return all;
    }();
    static const tk::tile_table table{.tiles = tiles,
                                      .registers = families::registers,
                                      .lanes = families::lanes,
                                      .winograd = families::winograd(),
                                      .dense = families::dense(),
                                      .depthwise = families::depthwise(),
                                      .moves = tk::make_movement()};
    return table;
}
