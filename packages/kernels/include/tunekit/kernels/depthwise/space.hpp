// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The search space of the depthwise convolution, and its untuned default configuration.

#include <algorithm>
#include <concepts>
#include <tuple>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/kernels/config.hpp"
#include "tunekit/kernels/config_of.hpp"
#include "tunekit/kernels/detail/space_parts.hpp"
#include "tunekit/kernels/table.hpp"
#include "tunekit/space/product.hpp"

namespace tunekit::kernels {
namespace detail {

template <>
inline constexpr auto fields<depthwise_config> =
    std::tuple{field{"mr", &depthwise_config::mr},       field{"nv", &depthwise_config::nv},
               field{"vl", &depthwise_config::vl},       field{"pad", &depthwise_config::pad},
               field{"sweep", &depthwise_config::sweep}, field{"oh_block", &depthwise_config::oh_block}};

/// The distinct values of one member over a table's depthwise tiles of one kind, ascending. With channels in vectors
/// also those of its sweeps, if they have such a member.
[[nodiscard]] inline std::vector<int> depthwise_values(const tile_table& table, vectorise_mode vectorise,
                                                       int depthwise_tile::* member,
                                                       int depthwise_sweep::* of_sweep = nullptr)
{
    std::vector<int> values;
    for (const auto& t : table.depthwise) {
        if (t.vectorise == vectorise) values.push_back(t.*member);
    }
    if (of_sweep != nullptr && vectorise == vectorise_mode::channel) {
        for (const auto& t : table.sweeps) values.push_back(t.*of_sweep);
    }
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

/// Whether the table has the tile for this kernel and it suits the shape: no vector beyond the row, channels filled up
/// to the least number that any tile fills them up to or 1.25 of them.
[[nodiscard]] inline bool depthwise_tile_fits(const conv2d_shape& s, const tile_table& table, vectorise_mode vectorise,
                                              int mr, int nv, int vl, bool sweep = false)
{
    if (sweep ? table.find_sweep(mr, vl, s) == nullptr
              : table.find_depthwise(vectorise, mr, nv, vl, s.kernel_h, s.stride_h) == nullptr)
        return false;
    if (vectorise == vectorise_mode::pixel) return mr <= s.oh() && (nv - 1) * vl < s.ow();
    int least = 0;
    for (const auto& t : table.depthwise) {
        const int filled = padded(s.ci, t.nv * t.vl);
        if (t.vectorise == vectorise && (least == 0 || filled < least)) least = filled;
    }
    return mr <= (sweep ? s.oh() : s.ow()) && 4 * padded(s.ci, nv * vl) <= (std::max)(5 * s.ci, 4 * least);
}

}  // namespace detail

/// The space of the depthwise convolution of `shape` in one layout (see `depthwise_kernel`) with the tiles of `table`.
///
/// | parameter | values | constraint |
/// |---|---|---|
/// | mr, nv, vl | those of the table | a tile of the table for this kernel that suits the shape |
/// | oh_block | divisors of oh | pixel: at least mr; with clip 1 |
/// | pad | copy, clip | pixel: copy; channel: clip where nothing is to copy, and with sweep |
/// | sweep | false, true | true only with channel, where the table has sweeps for the kernel |
///
/// With channels in vectors a tile suits the shape if mr is at most the length of a row (of a column with sweep), and
/// the channels with padding are at most 1.25 ci, or as few as with any tile. With pixels in vectors it suits if no
/// vector is wholly beyond the row.
///
/// Throws: std::invalid_argument where no tile of the table fits the shape.
[[nodiscard]] inline auto depthwise_space(const conv2d_shape& shape, const tile_table& table, vectorise_mode vectorise)
{
    detail::require_valid(shape);
    const bool channel = vectorise == vectorise_mode::channel, pads = shape.padding_h > 0 || shape.padding_w > 0;
    std::vector<padding_mode> padding;
    if (!channel || pads) padding.push_back(padding_mode::copy);
    if (channel) padding.push_back(padding_mode::clip);
    std::vector<bool> sweeps{false};
    const auto suits = [&](const detail::depthwise_sweep& t) { return table.find_sweep(t.mr, t.vl, shape) == &t; };
    if (channel && std::any_of(table.sweeps.begin(), table.sweeps.end(), suits)) sweeps.push_back(true);
    return space::product{
        space::parameter<"mr">(
            detail::depthwise_values(table, vectorise, &detail::depthwise_tile::mr, &detail::depthwise_sweep::mr)),
        space::parameter<"nv">(detail::depthwise_values(table, vectorise, &detail::depthwise_tile::nv)),
        space::parameter<"vl">(
            detail::depthwise_values(table, vectorise, &detail::depthwise_tile::vl, &detail::depthwise_sweep::vl)),
        space::divisors<"oh_block">(shape.oh()),
        space::parameter<"pad">(padding),
        space::parameter<"sweep">(sweeps),
        space::where<"mr", "nv", "vl", "sweep">([&table, shape, vectorise](int mr, int nv, int vl, bool sweep) {
            return detail::depthwise_tile_fits(shape, table, vectorise, mr, nv, vl, sweep);
        }),
        space::where<"mr", "oh_block">([channel](int mr, int oh_block) { return channel || mr <= oh_block; }),
        space::where<"oh_block", "pad", "sweep">([](int oh_block, padding_mode pad, bool sweep) {
            return pad == padding_mode::copy ? !sweep : oh_block == 1;
        }),
    };
}

/// The plain configuration of a point in `depthwise_space`.
template <std::same_as<depthwise_config> Config, class... Parameters>
[[nodiscard]] Config config_of(const space::configuration<Parameters...>& point, vectorise_mode vectorise)
{
    auto c = detail::taken<Config>(point);
    c.vectorise = vectorise;
    return c;
}

/// The configuration that a sensible library would run untuned in one layout. Of the tiles that compute the fewest
/// superfluous outputs it has the one with most accumulators. With pixels in vectors at least eight rows are copied at
/// once. With channels in vectors taps are clipped, and where the table has sweeps for the kernel there is one, over as
/// many rows as its weights and accumulators have registers for. Throws: std::invalid_argument where the table has no
/// tile that fits.
template <std::same_as<depthwise_config> Config>
[[nodiscard]] Config default_config(const conv2d_shape& shape, const tile_table& table, vectorise_mode vectorise)
{
    detail::require_valid(shape);
    const bool channel = vectorise == vectorise_mode::channel;
    const auto unwanted = [&](const detail::depthwise_tile& t) {
        return detail::padded(channel ? shape.ci : shape.ow(), channel ? t.nv * t.vl : t.vl);
    };
    const detail::depthwise_sweep* swept = nullptr;
    if (channel) {
        for (const auto& t : table.sweeps) {
            const int held = t.kernel * t.kernel + (t.kernel + t.stride - 1) / t.stride * t.mr + 1;  // vectors
            if (held * (std::max)(1, t.vl / table.lanes) > table.registers) continue;
            if (table.find_sweep(t.mr, t.vl, shape) != &t || t.mr > shape.oh()) continue;
            const int fill =
                swept == nullptr ? 0 : detail::padded(shape.ci, t.vl) - detail::padded(shape.ci, swept->vl);
            if (swept == nullptr || fill < 0 || (fill == 0 && t.mr * t.vl > swept->mr * swept->vl)) swept = &t;
        }
        if (swept != nullptr && detail::depthwise_tile_fits(shape, table, vectorise, swept->mr, 1, swept->vl, true))
            return {.vectorise = vectorise,
                    .mr = swept->mr,
                    .nv = 1,
                    .vl = swept->vl,
                    .pad = padding_mode::clip,
                    .sweep = true};
    }
    const detail::depthwise_tile* best = nullptr;
    for (const auto& t : table.depthwise) {
        if (t.vectorise != vectorise || t.mr * t.nv > table.registers / 2) continue;
        if (!detail::depthwise_tile_fits(shape, table, vectorise, t.mr, t.nv, t.vl)) continue;
        if (table.find_depthwise(vectorise, t.mr, t.nv, t.vl, shape.kernel_h, shape.stride_h) != &t) continue;
        if (best == nullptr || unwanted(t) < unwanted(*best) ||
            (unwanted(t) == unwanted(*best) && t.mr * t.nv * t.vl > best->mr * best->nv * best->vl)) {
            best = &t;
        }
    }
    require(best != nullptr, "default_config: the table has no depthwise tile for the shape, want one");
    int rows = 1;
    if (!channel) {
        rows = shape.oh();
        for (int r = best->mr; r < rows; r += best->mr) {  // whole tiles where they divide the rows
            if (r >= 8 && shape.oh() % r == 0) rows = r;
        }
    }
    return {.vectorise = vectorise,
            .mr = best->mr,
            .nv = best->nv,
            .vl = best->vl,
            .oh_block = rows,
            .pad = channel ? padding_mode::clip : padding_mode::copy};
}

}  // namespace tunekit::kernels
