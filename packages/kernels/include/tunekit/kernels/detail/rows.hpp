// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Cutting a row of outputs into tiles, and the tiles at its ends into parts whose taps are all inside the image.

#include <algorithm>
#include <utility>
#include <vector>

#include "tunekit/kernels/config.hpp"
#include "tunekit/kernels/detail/micro_kernel.hpp"

namespace tunekit::kernels::detail {

/// A run of outputs of a row.
struct row_tile {
    int begin = 0, length = 0;

    friend bool operator==(const row_tile&, const row_tile&) = default;
};

/// Tiles of at most `mr` that cover [0, length), as `edge` says. Widths are in [1, mr]; only `overrun` leaves the row.
[[nodiscard]] inline std::vector<row_tile> tiles_of_row(int length, int mr, edge_mode edge)
{
    std::vector<row_tile> tiles;
    const int n = (length + mr - 1) / mr;
    for (int i = 0, begin = 0; i < n; ++i) {
        int width = mr;
        if (edge == edge_mode::balanced) width = length / n + (i < length % n ? 1 : 0);
        if (edge == edge_mode::remainder || (edge == edge_mode::overlap && length < mr))
            width = (std::min)(mr, length - begin);
        if (edge == edge_mode::overlap && length >= mr) begin = (std::min)(begin, length - mr);
        tiles.push_back({begin, width});
        begin += width;
    }
    return tiles;
}

/// A row of outputs and the taps over its inputs.
struct row_shape {
    int length = 1;   ///< outputs
    int stride = 1;   ///< inputs between the windows of neighbouring outputs
    int taps = 1;     ///< inputs in a window
    int padding = 0;  ///< inputs of the first window left of the row
    int width = 1;    ///< inputs in the row
};

/// One call of a micro-kernel per row: outputs [pixel, ...) and taps [tap, tap + taps).
template <class Function>
struct segment_of {
    Function run = nullptr;
    int pixel = 0;                        ///< first output
    int tap = 0, taps = 0;                ///< the window's part
    int input = 0;                        ///< input under the first output's first tap
    bool accumulates = false;             ///< another part of the tile has been written
    bool clears = false;                  ///< no part covers the whole tile: it is zeroed first
    int tile_pixel = 0, tile_pixels = 0;  ///< the whole tile
};

using segment = segment_of<tile_function<>>;

/// The segments of a row, tile after tile. `kernel(mr)` is the micro-kernel of that height.
template <class Kernel>
[[nodiscard]] auto cut_row(const row_shape& row, int mr, edge_mode edge, const Kernel& kernel)
{
    using part = segment_of<decltype(kernel(mr))>;
    std::vector<part> segments;
    for (const auto& t : tiles_of_row(row.length, mr, edge)) {
        // Outputs of the tile whose tap k lies in the image: a run that starts and ends no later for a larger k.
        // an overrunning tile is clipped like the row's last output
        const int inside = (std::min)(t.begin + t.length, row.length);
        const auto range = [&](int k) -> row_tile {
            int begin = t.begin, end = t.begin + t.length;
            while (begin < end && begin * row.stride + k < row.padding) ++begin;
            const int last = (std::min)(end, inside) - 1;
            if (end > begin && last >= begin) {
                int covered = last + 1;
                while (covered > begin && (covered - 1) * row.stride + k - row.padding >= row.width) --covered;
                if (covered <= last) end = covered;
            }
            return {begin, end - begin};
        };
        std::vector<part> parts;
        for (int k = 0; k < row.taps;) {
            const row_tile r = range(k);
            int next = k + 1;
            while (next < row.taps && range(next) == r) ++next;
            if (r.length > 0) {
                parts.push_back({.run = kernel(r.length),
                                 .pixel = r.begin,
                                 .tap = k,
                                 .taps = next - k,
                                 .input = r.begin * row.stride + k - row.padding,
                                 .accumulates = true,
                                 .tile_pixel = t.begin,
                                 .tile_pixels = t.length});
                if (r.length == t.length && parts.front().accumulates) {
                    parts.back().accumulates = false;  // the first part of full width replaces: it goes first
                    std::swap(parts.front(), parts.back());
                }
            }
            k = next;
        }
        if (!parts.empty() && parts.front().accumulates) parts.front().clears = true;
        segments.insert(segments.end(), parts.begin(), parts.end());
    }
    return segments;
}

}  // namespace tunekit::kernels::detail
