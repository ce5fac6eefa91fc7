// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The configurations of the bundled kernels, from which their spaces are made.

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "tunekit/kernels/shapes.hpp"

namespace tunekit::kernels {

/// The order of three outer loops, outermost first. A convolution has output channels `o`, rows `r` and input channels
/// `i`. A product has n, m and k in the places of o, r and i.
enum class loop_order : std::uint8_t { ori, oir, roi, rio, ior, iro };

/// The order of loops within a block: channels outside: one channel tile visits all pixels before the next tile; pixels
/// outside: one pixel tile visits all channels.
enum class inner_order : std::uint8_t { channels_outside, pixels_outside };

/// The treatment of taps outside the image.
enum class padding_mode : std::uint8_t {
    copy,  ///< the input is first copied into padded scratch; strided pointwise convolutions copy only what they read
    clip,  ///< tiles at the border run over fewer taps
};

/// The treatment of a row's end, where the row is no multiple of the tile.
enum class edge_mode : std::uint8_t {
    balanced,   ///< tiles of nearly equal widths
    remainder,  ///< full tiles, then a smaller one
    overlap,    ///< full tiles, the last one moved back over pixels that are computed twice
    overrun,    ///< full tiles, the last one past the row's end: WRITES OUT OF BOUNDS; in hazardous spaces only
};

/// The contents of a vector's lanes, where input and output are plain NCHW.
enum class vectorise_mode : std::uint8_t {
    channel,  ///< output channels; inputs are broadcast, and outputs transposed on their way out
    pixel,    ///< pixels of an output row; weights are broadcast
};

/// The algorithm of a convolution.
enum class conv2d_algorithm : std::uint8_t { direct, winograd };

namespace detail {

/// The name of a value of an enumeration whose values are 0, 1, 2, ...: `names` are in their order. "?" for a value
/// without a name.
template <class Enum>
[[nodiscard]] constexpr const char* name_of(Enum value, std::initializer_list<const char*> names) noexcept
{
    const auto at = static_cast<std::size_t>(value);
    return at < names.size() ? names.begin()[at] : "?";
}

}  // namespace detail

/// The name of a setting, as it is written in configurations.
[[nodiscard]] inline std::string to_text(loop_order o)
{
    return detail::name_of(o, {"ori", "oir", "roi", "rio", "ior", "iro"});
}
[[nodiscard]] inline std::string to_text(inner_order o)
{
    return detail::name_of(o, {"channels_outside", "pixels_outside"});
}
[[nodiscard]] inline std::string to_text(edge_mode m)
{
    return detail::name_of(m, {"balanced", "remainder", "overlap", "overrun"});
}
[[nodiscard]] inline std::string to_text(padding_mode m) { return detail::name_of(m, {"copy", "clip"}); }
[[nodiscard]] inline std::string to_text(vectorise_mode m) { return detail::name_of(m, {"channel", "pixel"}); }
[[nodiscard]] inline std::string to_text(conv2d_algorithm a) { return detail::name_of(a, {"direct", "winograd"}); }

/// Whether a space holds configurations that break the process in which they run.
enum class hazards {
    excluded,
    /// A convolution's `edge` may be `overrun`, which writes past the end of the output where the row is no multiple of
    /// the tile. `ku` may be 0, which never ends. Use this for tests of isolation, in a process that may crash.
    included,
};

/// The configuration of a direct convolution.
struct conv2d_config {
    int mr = 1, nv = 1, vl = 1;  ///< the tile: mr pixels by nv vectors of vl output channels
    int ku = 1;                  ///< unrolling of the reduction: 1, 2, 4, 8; 0 never ends (hazardous spaces only)
    int prefetch = 0;            ///< steps of the reduction that weights are fetched ahead
    int ic_block = 1;            ///< input channels side by side in memory; divides their number
    int ic_chunk = 1;            ///< input blocks between two visits of an output; divides their number
    int oh_block = 1;            ///< rows per block; divides the output height
    int oc_block = 1;            ///< output channel tiles per block
    loop_order order = loop_order::ori;                 ///< of the outer loops
    inner_order inner = inner_order::channels_outside;  ///< of the loops within a block
    padding_mode pad = padding_mode::clip;              ///< taps outside the image
    edge_mode edge = edge_mode::balanced;               ///< the end of a row

    friend bool operator==(const conv2d_config&, const conv2d_config&) = default;
};

/// The configuration of a convolution from and to plain NCHW. With `vectorise` = channel a tile is mr pixels of a row
/// by nv vectors of vl output channels. With pixel it is mr output channels by nv vectors of vl pixels. Sizes are those
/// of one group.
struct nchw_config {
    vectorise_mode vectorise = vectorise_mode::channel;  ///< what a vector holds
    int mr = 1, nv = 1, vl = 1;                          ///< the tile
    int ku = 1;                                          ///< unrolling of the reduction: 1, 2, 4 or 8
    int prefetch = 0;                    ///< steps of the reduction that the operand in vectors is fetched ahead
    int ic_block = 1;                    ///< input channels that are reduced side by side; divides their number
    int ic_chunk = 1;                    ///< input blocks between two visits of an output; divides their number
    int oh_block = 1;                    ///< output rows per block; divides the output height
    int oc_block = 1;                    ///< tiles of output channels per block
    loop_order order = loop_order::ori;  ///< of the outer loops
    inner_order inner = inner_order::channels_outside;  ///< of the loops within a block
    padding_mode pad = padding_mode::clip;              ///< taps outside the image
    edge_mode edge = edge_mode::balanced;               ///< not overrun

    friend bool operator==(const nchw_config&, const nchw_config&) = default;
};

/// The configuration of a Winograd convolution: F(tile_h x tile_w, 3 x 3).
struct winograd_config {
    /// The layout of the products in memory.
    enum class products : std::uint8_t {
        by_element,  ///< one matrix per element of the transformed tile: products read in order, transforms scatter
        by_tile,     ///< all elements of a tile side by side: transforms write in order, products read with a stride
    };

    /// The outputs of a tile, down and across: 2 to 8. Larger tiles save more work and have larger errors: see
    /// `winograd_kernel`.
    int tile_h = 2, tile_w = 2;
    int mr = 1, nv = 1, vl = 1;  ///< the micro-kernel: mr tiles by nv vectors of vl output channels
    int ku = 1;                  ///< unrolling of the reduction: 1, 2, 4, 8
    int prefetch = 0;            ///< steps of the reduction that weights are fetched ahead
    int ic_block = 1;            ///< input channels side by side in memory; divides their number
    int ic_chunk = 1;            ///< input blocks between two visits of a product's result; divides their number
    int tile_block = 1;          ///< tiles that are transformed together
    int oc_block = 1;  ///< output channel tiles between two output transforms; 1: each product is transformed at once
    inner_order inner = inner_order::channels_outside;  ///< of the loops within a block
    products layout = products::by_element;             ///< of the products

    friend bool operator==(const winograd_config&, const winograd_config&) = default;
};

/// The name of a setting, as it is written in configurations.
[[nodiscard]] inline std::string to_text(winograd_config::products p)
{
    return detail::name_of(p, {"by_element", "by_tile"});
}

/// The configuration of a depthwise convolution. With `vectorise` = channel a tile is mr pixels of a row by nv vectors
/// of vl channels, and input and output are blocks of nv vl channels. There `sweep` goes over mr whole rows at once,
/// one vector of channels after another. With pixel a tile is mr rows by nv vectors of vl pixels, and both are plain
/// NCHW.
struct depthwise_config {
    vectorise_mode vectorise = vectorise_mode::pixel;  ///< what a vector holds
    int mr = 1, nv = 1, vl = 1;                        ///< the tile
    int oh_block = 1;                       ///< output rows whose input is copied at once; divides the output height
    padding_mode pad = padding_mode::copy;  ///< clip with channels in vectors only
    bool sweep = false;                     ///< with channels in vectors and clip only

    friend bool operator==(const depthwise_config&, const depthwise_config&) = default;
};

/// The configuration of a matrix product: C (m x n) = A (m x k) B (k x n).
struct gemm_config {
    int mr = 1, nv = 1, vl = 1;  ///< the tile: mr rows by nv vectors of vl columns
    int ku = 1;                  ///< unrolling of the loop over k: 1, 2, 4, 8; 0 never ends (hazardous spaces only)
    int prefetch = 0;            ///< steps of k that B is fetched ahead
    /// The block: rows, columns (a multiple of nv vl) and steps of k. A size larger than the shape's counts as the
    /// shape's.
    int mc = 1, nc = 1, kc = 1;
    loop_order order = loop_order::ori;                 ///< of the outer loops
    inner_order inner = inner_order::channels_outside;  ///< of the loops within a block
    bool pack_a = false;                                ///< copy the block of A into contiguous memory
    bool pack_b = false;                                ///< copy the block of B into panels as wide as the tile
    bool fetch_c = false;                               ///< prefetch a tile's C before it is computed
    edge_mode edge = edge_mode::balanced;               ///< balanced or remainder

    friend bool operator==(const gemm_config&, const gemm_config&) = default;
};

namespace detail {

/// Positions (0 = o, 1 = r, 2 = i) of the loops, outermost first.
[[nodiscard]] constexpr std::array<int, 3> loops_of(loop_order order) noexcept
{
    constexpr std::array<std::array<int, 3>, 6> loops{
        {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};
    return loops[static_cast<std::size_t>(order)];
}

/// Whether a copy of the input makes a difference: there is padding, or a pointwise convolution skips pixels.
[[nodiscard]] constexpr bool helps_copy(const conv2d_shape& s) noexcept
{
    const bool pointwise = s.kernel_h == 1 && s.kernel_w == 1;
    return s.padding_h > 0 || s.padding_w > 0 || (pointwise && (s.stride_h > 1 || s.stride_w > 1));
}

}  // namespace detail

}  // namespace tunekit::kernels
