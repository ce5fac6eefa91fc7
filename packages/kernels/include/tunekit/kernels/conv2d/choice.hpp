// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Convolutions whose algorithm is part of their configuration, in blocked layouts and from and to plain NCHW: their
/// spaces, and the kernel of any of their configurations.

#include <concepts>
#include <cstddef>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "tunekit/kernels/config_of.hpp"
#include "tunekit/kernels/conv2d/blocked.hpp"
#include "tunekit/kernels/conv2d/nchw.hpp"
#include "tunekit/kernels/conv2d/space.hpp"
#include "tunekit/kernels/detail/space_parts.hpp"
#include "tunekit/kernels/detail/winograd_nchw.hpp"
#include "tunekit/kernels/detail/winograd_parts.hpp"
#include "tunekit/kernels/shapes.hpp"
#include "tunekit/kernels/table.hpp"
#include "tunekit/kernels/winograd/blocked.hpp"
#include "tunekit/space/product.hpp"

namespace tunekit::kernels {

namespace detail {

/// A convolution by the algorithm of its configuration. The kernels of both algorithms have the same layouts, so the
/// code around it does not depend on the choice. Errors and threads are those of the kernels.
template <class Direct, class Winograd>
class either_conv2d_kernel {
public:
    /// The configuration of either algorithm.
    using config_type =
        std::variant<std::remove_cvref_t<decltype(std::declval<const Direct&>().config())>, winograd_config>;

    /// Plans the convolution. `weights` are OIHW.
    either_conv2d_kernel(const conv2d_shape& shape, const config_type& config, const tile_table& table,
                         std::span<const float> weights)
        : kernel_(std::visit([&](const auto& c) { return made(shape, c, table, weights); }, config))
    {
    }

    /// The algorithm of the configuration.
    [[nodiscard]] conv2d_algorithm algorithm() const noexcept { return static_cast<conv2d_algorithm>(kernel_.index()); }
    [[nodiscard]] const conv2d_shape& shape() const
    {
        return as<const conv2d_shape&>([](const auto& k) -> auto& { return k.shape(); });
    }
    [[nodiscard]] std::size_t input_size() const
    {
        return as<std::size_t>([](const auto& k) { return k.input_size(); });
    }
    [[nodiscard]] std::size_t output_size() const
    {
        return as<std::size_t>([](const auto& k) { return k.output_size(); });
    }
    [[nodiscard]] std::size_t scratch_size() const
    {
        return as<std::size_t>([](const auto& k) { return k.scratch_size(); });
    }

    /// Converts NCHW to the kernel's input layout, where that is another.
    void pack_input(std::span<const float> nchw, std::span<float> blocked) const
    {
        std::visit([&](const auto& k) { k.pack_input(nchw, blocked); }, kernel_);
    }

    /// Converts the kernel's output layout to NCHW, where that is another.
    void unpack_output(std::span<const float> blocked, std::span<float> nchw) const
    {
        std::visit([&](const auto& k) { k.unpack_output(blocked, nchw); }, kernel_);
    }

    /// Computes y, the convolution of x, both in the kernel's layouts. Preconditions: input_size() and output_size()
    /// floats; no overlap.
    void run(const float* x, float* y)
    {
        std::visit([&](auto& k) { k.run(x, y); }, kernel_);
    }

private:
    using kernel = std::variant<Direct, Winograd>;

    template <class... Arguments>
    static kernel made(const conv2d_shape& s, const std::variant_alternative_t<0, config_type>& c, Arguments&&... rest)
    {
        return kernel(std::in_place_type<Direct>, s, c, std::forward<Arguments>(rest)...);
    }
    template <class... Arguments>
    static kernel made(const conv2d_shape& s, const winograd_config& c, Arguments&&... rest)
    {
        return kernel(std::in_place_type<Winograd>, s, c, std::forward<Arguments>(rest)...);
    }

    template <class R, class F>
    [[nodiscard]] R as(const F& f) const
    {
        return std::visit([&](const auto& k) -> R { return f(k); }, kernel_);
    }

    kernel kernel_;
};

}  // namespace detail

/// The configuration of either algorithm.
using any_conv2d_config = std::variant<conv2d_config, winograd_config>;

/// A convolution in blocked layouts by the algorithm of its configuration: see `conv2d_kernel` and `winograd_kernel`.
using any_conv2d_kernel = detail::either_conv2d_kernel<conv2d_kernel<>, winograd_kernel>;

/// The space of a convolution of `shape` with the tiles and transforms of `table`. Its parameters are those of
/// `conv2d_space`, and
///
/// | parameter | values | constraint |
/// |---|---|---|
/// | algorithm | direct, winograd | winograd for 3 x 3 without stride and groups, where the table has transforms |
/// | oh_block, order, pad, edge | as there | used by direct alone |
/// | tile_h, tile_w | 2 to 8 as in the table | used by winograd alone; a transform of the table for vl |
/// | m_tiles | 1, 2, ..., 64 micro-kernels per block of tiles | used by winograd alone; less than twice the tiles |
/// | layout | by_element, by_tile | used by winograd alone |
///
/// With winograd mr counts tiles and is at most their number, and the scratch is at most 8 MiB. Only the direct
/// algorithm has hazards.
/// Throws: std::invalid_argument where no tile of the table fits the shape.
template <std::same_as<tile_table> Table>
[[nodiscard]] auto any_conv2d_space(const conv2d_shape& shape, const Table& table, hazards hazard = hazards::excluded)
{
    detail::require_valid(shape);
    const conv2d_shape part = detail::group_of(shape);
    return detail::product_of(
        std::tuple{detail::algorithm_parameter(shape, table)}, detail::tile_parameters(table, hazard),
        detail::channel_parameters(part.ci),
        std::tuple{space::powers_of_two<"oc_block">(1, 64), detail::inner_parameter(),
                   space::divisors<"oh_block">(shape.oh()), detail::nest_parameter(),
                   detail::padding_parameter(detail::helps_copy(shape)), detail::edge_parameter(hazard)},
        detail::winograd_parameters(table), detail::used_by_one_algorithm(),
        std::tuple{space::where<"algorithm", "mr", "nv", "vl">(
                       [&table, s = shape](conv2d_algorithm a, int mr, int nv, int vl) {
                           return (a == conv2d_algorithm::winograd || mr <= detail::row_of(s)) &&
                                  detail::blocked_tile_fits(s, table, mr, nv, vl);
                       }),
                   detail::blocks_are_filled(part.co)},
        detail::channel_constraints(part.ci),
        std::tuple{space::where<"algorithm", "ku">(
            [](conv2d_algorithm a, int ku) { return ku != 0 || a == conv2d_algorithm::direct; })},
        detail::winograd_constraints(shape, table));
}

/// The configuration of either algorithm.
using any_nchw_config = std::variant<nchw_config, winograd_config>;

/// A convolution from and to plain NCHW by the algorithm of its configuration: see `nchw_kernel`. Winograd's
/// transposes its input into blocks of channels, and its output back.
using any_nchw_kernel = detail::either_conv2d_kernel<nchw_kernel, detail::winograd_nchw_kernel>;

/// The space of a convolution from and to plain NCHW with the tiles and transforms of `table`. Its parameters are those
/// of `conv2d_nchw_space`, and those that `any_conv2d_space` has for winograd. Only `algorithm` = direct uses
/// vectorise, oh_block, order, pad and edge.
/// Throws: std::invalid_argument where no tile of the table fits the shape.
template <std::same_as<tile_table> Table>
[[nodiscard]] auto any_nchw_space(const conv2d_shape& shape, const Table& table)
{
    detail::require_valid(shape);
    const conv2d_shape s = detail::group_of(shape);
    return detail::product_of(
        std::tuple{detail::algorithm_parameter(shape, table), detail::vectorise_parameter()},
        detail::tile_parameters(table), detail::channel_parameters(s.ci), detail::loop_parameters(s.oh(), true),
        detail::winograd_parameters(table), std::tuple{space::active_if<"vectorise", "algorithm">(detail::is_direct)},
        detail::used_by_one_algorithm(),
        std::tuple{space::where<"algorithm", "vectorise", "mr", "nv", "vl">(
                       [&table, s](conv2d_algorithm a, vectorise_mode vectorise, int mr, int nv, int vl) {
                           const int rows = a == conv2d_algorithm::direct ? mr : 1;
                           return detail::has_tile(table, mr, nv, vl) &&
                                  detail::nchw_tile_fits(s, table, vectorise, rows, nv, vl);
                       }),
                   detail::nchw_blocks_are_filled(s)},
        detail::channel_constraints(s.ci),
        std::tuple{space::where<"algorithm", "vectorise", "ic_block", "pad">(
            [s](conv2d_algorithm a, vectorise_mode vectorise, int block, padding_mode pad) {
                return a == conv2d_algorithm::winograd || pad == padding_mode::clip ||
                       detail::nchw_copy_differs(s, vectorise, block);
            })},
        detail::winograd_constraints(shape, table));
}

}  // namespace tunekit::kernels
