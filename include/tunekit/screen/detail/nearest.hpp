// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Squared distances between many points and a few centres.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "tunekit/core/detail/lanes.hpp"

namespace tunekit::screen::detail {

using floats = core::detail::lanes<float>;
using ints = core::detail::lanes<std::int32_t>;
inline constexpr std::size_t lanes = core::detail::lane_count<float>;

inline constexpr std::size_t abreast = 4;  // centres looked at together

/// The points of one register: coordinate j of all of them lies at tile[j * lanes].
/// out[c] = squared distances of the points to centre c of `abreast`, row-major; each a sum over j ascending, so that
/// it has the same bits whatever the width of a register.
inline void squared_distances(const float* tile, const float* centres, std::size_t d, floats (&out)[abreast])
{
    floats a{}, b{}, c{}, e{};
    for (std::size_t j = 0; j < d; ++j) {
        floats x;
        std::memcpy(&x, tile + j * lanes, sizeof x);
        const floats p = x - centres[j], q = x - centres[d + j], r = x - centres[2 * d + j], s = x - centres[3 * d + j];
        a += p * p;
        b += q * q;
        c += r * r;
        e += s * s;
    }
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = e;
}

/// Of each point of a register: the squared distances to the nearest and the second nearest centre, and which is the
/// nearest (ties: the lowest).
struct nearest_two {
    floats first, second;
    ints which;

    /// Precondition: `k` is a multiple of `abreast`.
    nearest_two(const float* tile, const float* centres, std::size_t k, std::size_t d)
    {
        const floats distant = floats{} + INFINITY;
        first = second = distant;
        which = ints{};
        for (std::size_t c = 0; c < k; c += abreast) {
            floats v[abreast];
            squared_distances(tile, centres + c * d, d, v);
            for (std::size_t i = 0; i < abreast; ++i) {
                const floats later = first > v[i] ? first : v[i];
                second = later < second ? later : second;
                const auto closer = v[i] < first;
                which = closer ? ints{} + static_cast<std::int32_t>(c + i) : which;
                first = closer ? v[i] : first;
            }
        }
    }
};

}  // namespace tunekit::screen::detail
