// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The plain configuration of a point in a space of the bundled kernels, and the point of a configuration.

#include <concepts>
#include <cstddef>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "tunekit/kernels/config.hpp"
#include "tunekit/space/product.hpp"

namespace tunekit::kernels {
namespace detail {

/// A field of a configuration, and the parameter that it is a value of.
template <class Config, class T>
struct field {
    std::string_view name;
    T Config::* member;
};

template <class Config, class T>
field(std::string_view, T Config::*) -> field<Config, T>;

/// The fields of a configuration that are parameters of its space; one specialisation for each configuration.
template <class Config>
inline constexpr auto fields = nullptr;

/// Those of a micro-kernel's tile.
template <class C>
inline constexpr auto tile_fields = std::tuple{field{"mr", &C::mr}, field{"nv", &C::nv}, field{"vl", &C::vl},
                                               field{"ku", &C::ku}, field{"prefetch", &C::prefetch}};
/// Those of a convolution's blocks.
template <class C>
inline constexpr auto block_fields = std::tuple{field{"ic_block", &C::ic_block}, field{"ic_chunk", &C::ic_chunk},
                                                field{"oc_block", &C::oc_block}, field{"inner", &C::inner}};
/// Those of a direct convolution.
template <class C>
inline constexpr auto direct_fields =
    std::tuple_cat(tile_fields<C>, block_fields<C>,
                   std::tuple{field{"oh_block", &C::oh_block}, field{"order", &C::order}, field{"pad", &C::pad},
                              field{"edge", &C::edge}});

template <>
inline constexpr auto fields<conv2d_config> = direct_fields<conv2d_config>;
template <>
inline constexpr auto fields<nchw_config> =
    std::tuple_cat(direct_fields<nchw_config>, std::tuple{field{"vectorise", &nchw_config::vectorise}});
template <>
inline constexpr auto fields<winograd_config> =
    std::tuple_cat(tile_fields<winograd_config>, block_fields<winograd_config>,
                   std::tuple{field{"tile_h", &winograd_config::tile_h}, field{"tile_w", &winograd_config::tile_w},
                              field{"layout", &winograd_config::layout}});
template <>
inline constexpr auto fields<gemm_config> = std::tuple_cat(
    tile_fields<gemm_config>,
    std::tuple{field{"kc", &gemm_config::kc}, field{"order", &gemm_config::order}, field{"inner", &gemm_config::inner},
               field{"pack_a", &gemm_config::pack_a}, field{"pack_b", &gemm_config::pack_b},
               field{"fetch_c", &gemm_config::fetch_c}, field{"edge", &gemm_config::edge}});

/// Sizes that a configuration gives in elements and a space in tiles: none, but for the two below. `from` a point, or
/// `to` it.
template <class Config, class Point>
void sizes(Config&, Point&)
{
}
template <class Point>
void sizes(winograd_config& c, const Point& from)
{
    c.tile_block = c.mr * get<"m_tiles">(from);
}
template <class Point>
void sizes(const winograd_config& c, Point& to)
{
    get<"m_tiles">(to) = c.mr > 0 && c.tile_block % c.mr == 0 ? c.tile_block / c.mr : 0;
}
template <class Point>
void sizes(gemm_config& c, const Point& from)
{
    c.mc = c.mr * get<"m_tiles">(from);
    c.nc = c.nv * c.vl * get<"n_tiles">(from);
}
template <class Point>
void sizes(const gemm_config& c, Point& to)
{
    get<"m_tiles">(to) = c.mc / c.mr;
    get<"n_tiles">(to) = c.nc / (c.nv * c.vl);
}

/// Calls use(field of the configuration, value of the point) for each field.
template <class Config, class Point, class Use>
void each_field(Config& c, Point& point, const Use& use)
{
    constexpr const auto& all = fields<std::remove_const_t<Config>>;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (use(c.*std::get<I>(all).member,
             std::get<space::detail::position_of(std::get<I>(all).name, Point::names)>(point.values)),
         ...);
    }(std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<decltype(all)>>>());
    sizes(c, point);
}

template <class Config>
concept has_fields = !std::same_as<std::remove_const_t<decltype(fields<Config>)>, std::nullptr_t>;

/// Whether a point has all of a configuration: but for a depthwise one's way of vectorising.
template <class Config>
concept whole = has_fields<Config> && !std::same_as<Config, depthwise_config>;

template <class Config>
concept of_two_algorithms = std::same_as<std::variant_alternative_t<1, Config>, winograd_config>;

/// The configuration with the values of a point.
template <has_fields Config, class Point>
[[nodiscard]] Config taken(const Point& point)
{
    Config c;
    each_field(c, point, [](auto& field, const auto& value) { field = value; });
    return c;
}

/// Sets the values of a point that a configuration has.
template <class Config, class Point>
void put(const Config& c, Point& point)
{
    each_field(c, point, [](const auto& field, auto& value) { value = field; });
}

/// The point of a space with the values of these configurations.
template <class Space, class... Configs>
[[nodiscard]] std::optional<index> point_of(const Space& space, const Configs&... configs)
{
    typename Space::config point{};
    (put(configs, point), ...);
    return space.index_of(point);
}

}  // namespace detail

/// The plain configuration of a point in the space of its kernel: `config_of<gemm_config>(space.at(i))`. It is of the
/// type that the kernel takes; of a space with a choice of the algorithm `any_conv2d_config` or `any_nchw_config`; of a
/// space for several threads also `gemm_division` or `conv2d_division`. A depthwise convolution's
/// takes the way of vectorising, too.
template <detail::whole Config, class... Parameters>
[[nodiscard]] Config config_of(const space::configuration<Parameters...>& point)
{
    return detail::taken<Config>(point);
}
/// That of either algorithm.
template <detail::of_two_algorithms Config, class... Parameters>
[[nodiscard]] Config config_of(const space::configuration<Parameters...>& point)
{
    if (get<"algorithm">(point) == conv2d_algorithm::winograd) return config_of<winograd_config>(point);
    return config_of<std::variant_alternative_t<0, Config>>(point);
}

/// The point of `space` with the values of a configuration, whose fields are all of its parameters; empty where it is
/// not in the space. Parameters that a dense layer's layout does not use have their first value.
template <class Space, detail::has_fields Config>
[[nodiscard]] std::optional<index> index_of(const Space& space, const Config& config)
{
    return detail::point_of(space, config);
}
/// That of either algorithm: parameters of the other one have their first values.
template <class Space, class Direct>
[[nodiscard]] std::optional<index> index_of(const Space& space, const std::variant<Direct, winograd_config>& config)
{
    typename Space::config point{};
    if (const auto* c = std::get_if<Direct>(&config)) {
        detail::put(*c, point);
        get<"m_tiles">(point) = 1;
        for (int tile = 2; tile <= 8; ++tile) {  // the smallest transform's
            get<"tile_h">(point) = get<"tile_w">(point) = tile;
            if (const auto i = space.index_of(point)) return i;
        }
        return std::nullopt;
    }
    get<"algorithm">(point) = conv2d_algorithm::winograd;
    get<"oh_block">(point) = 1;
    detail::put(std::get<winograd_config>(config), point);
    for (const auto pad : {padding_mode::copy, padding_mode::clip}) {  // copy where it helps
        get<"pad">(point) = pad;
        if (const auto i = space.index_of(point)) return i;
    }
    return std::nullopt;
}

}  // namespace tunekit::kernels
