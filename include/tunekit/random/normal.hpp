// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The standard normal variate.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "tunekit/random/uniform.hpp"

namespace tunekit::random {

namespace detail {

/// 256 layers of equal area under exp(-x^2 / 2), x >= 0: layer i reaches from 0 to x[i] and from height f[i] to f[i +
/// 1]. Layer 0 is the base of width x[1] = r plus the tail beyond r; x[0] is the width of a rectangle of that area.
struct ziggurat {
    std::array<double, 257> x{};
    std::array<double, 257> f{};
};

constexpr ziggurat make_ziggurat()
{
    constexpr double r = 3.6541528853610088;        // where the layers close at height 1
    constexpr double area = 0.0049286732339746519;  // r f(r) + the tail
    constexpr double f_r = 0.00126028593049859;     // exp(-r^2 / 2)
    constexpr auto log = [](double y) {             // of y in (0, 1], by ln y = 2 artanh((y - 1) / (y + 1)) about 1
        double out = 0;
        while (y < 0.75) {
            y *= 2;
            out -= 0.69314718055994531;
        }
        const double t = (y - 1) / (y + 1);
        double power = 2 * t;
        for (int k = 1; k < 26; k += 2) {
            out += power / k;
            power *= t * t;
        }
        return out;
    };
    constexpr auto sqrt = [](double y) {
        double out = 2;
        for (int k = 0; k < 9; ++k) out = 0.5 * (out + y / out);
        return out;
    };
    ziggurat z;
    z.x[0] = area / f_r;
    z.x[1] = r;
    z.f[1] = f_r;
    for (std::size_t i = 2; i < 256; ++i) {
        z.f[i] = z.f[i - 1] + area / z.x[i - 1];
        z.x[i] = sqrt(-2 * log(z.f[i]));
    }
    z.f[256] = 1;
    return z;
}

inline constexpr ziggurat normal_layers = make_ziggurat();

/// The point that one draw proposes: layer and position come from different bits.
struct ziggurat_point {
    std::size_t layer;
    double x;

    explicit ziggurat_point(std::uint64_t draw)
        : layer(draw & 255),
          x(static_cast<double>(static_cast<std::int64_t>(draw) >> 11) * 0x1p-52 * normal_layers.x[layer])
    {
    }

    /// Whether the point is under the curve at every height of its layer.
    [[nodiscard]] bool inside() const { return std::abs(x) < normal_layers.x[layer + 1]; }
};

/// The variate that follows from a point that is not `inside`.
template <generator G>
[[gnu::noinline]] double normal_edge(ziggurat_point p, G& gen)
{
    const auto& [width, height] = normal_layers;
    for (;; p = ziggurat_point(bits(gen))) {
        if (p.inside()) return p.x;
        if (p.layer == 0) break;
        const double y = height[p.layer] + uniform_01(gen) * (height[p.layer + 1] - height[p.layer]);
        if (y < std::exp(-0.5 * p.x * p.x)) return p.x;
    }
    for (const double r = width[1];;) {  // the tail beyond r: Marsaglia (1964)
        const double beyond = -std::log(1 - uniform_01(gen)) / r;
        const double y = -std::log(1 - uniform_01(gen));
        if (2 * y >= beyond * beyond) return p.x < 0 ? -r - beyond : r + beyond;
    }
}

}  // namespace detail

/// A draw from N(0, 1).
///
/// Randomness: one `bits` in 98.5 % of the draws. Else one more or a whole new try for each point outside the curve,
///             and two for each try in the tail.
/// Cost:       in most cases one multiplication and one comparison besides the draw. No code runs and no table is
///             filled at start-up.
/// Source:     Marsaglia, Tsang (2000), The Ziggurat Method for Generating Random Variables, J. Stat. Software 5(8).
/// Departures: layer and position come from different bits of one 64-bit draw. That removes the correlation that
///             Doornik (2005) found. The position has 53 bits.
template <generator G>
[[nodiscard]] double normal(G& gen)
{
    const detail::ziggurat_point p(bits(gen));
    if (p.inside()) [[likely]]
        return p.x;
    return detail::normal_edge(p, gen);
}

}  // namespace tunekit::random
