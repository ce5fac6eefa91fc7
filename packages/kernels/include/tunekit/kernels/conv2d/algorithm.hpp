// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Convolutions whose algorithm is part of their configuration: the parts that blocked and plain layouts share.

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "tunekit/kernels/detail/space_parts.hpp"
#include "tunekit/kernels/shapes.hpp"
#include "tunekit/kernels/table.hpp"
#include "tunekit/kernels/winograd/config.hpp"
#include "tunekit/space/product.hpp"

namespace tunekit::kernels {

/// The algorithm of a convolution.
enum class conv2d_algorithm : std::uint8_t { direct, winograd };

/// The name of an algorithm, as it is written in configurations.
[[nodiscard]] constexpr const char* to_text(conv2d_algorithm algorithm) noexcept
{
    return algorithm == conv2d_algorithm::direct ? "direct" : "winograd";
}

/// The algorithm that a configuration is for.
template <class Direct>
[[nodiscard]] conv2d_algorithm algorithm_of(const std::variant<Direct, winograd_config>& c)
{
    return static_cast<conv2d_algorithm>(c.index());
}

/// The Winograd configuration of a point in a space with a choice of algorithm.
template <class... Parameters>
[[nodiscard]] winograd_config winograd_config_of(const space::configuration<Parameters...>& c)
{
    auto out = detail::tiled_config_of<winograd_config>(c);
    out.tile_h = get<"tile_h">(c);
    out.tile_w = get<"tile_w">(c);
    out.tile_block = get<"mr">(c) * get<"m_tiles">(c);
    out.layout = get<"layout">(c);
    return out;
}

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

}  // namespace tunekit::kernels
