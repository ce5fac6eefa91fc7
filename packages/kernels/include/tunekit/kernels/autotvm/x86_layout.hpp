// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Conversions between plain layouts and the blocked layouts of AutoTVM's CPU templates.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/kernels/shapes.hpp"

namespace tunekit::kernels {

namespace detail {

/// Between [batch][channels][pixels] and [batch][channels / block][pixels][block]: move(out, in, plain place, blocked
/// place).
template <class Move>
[[nodiscard]] std::vector<float> between(const char* who, std::span<const float> in, int batch, int channels,
                                         int pixels, int block, const Move& move)
{
    const auto b = static_cast<std::size_t>(batch), c = static_cast<std::size_t>(channels),
               p = static_cast<std::size_t>(pixels), width = static_cast<std::size_t>(block);
    require(block > 0 && c % width == 0,
            std::string("autotvm::") + who + ": the block does not divide the channels, want a divisor");
    require(in.size() == b * c * p,
            std::string("autotvm::") + who + ": another size than the shape says, want batch x channels x pixels");
    std::vector<float> out(in.size());
    for (std::size_t n = 0; n < b * c / width; ++n)
        for (std::size_t k = 0; k < width; ++k)
            for (std::size_t q = 0; q < p; ++q) move(out, in, (n * width + k) * p + q, (n * p + q) * width + k);
    return out;
}

}  // namespace detail

namespace autotvm {

/// Converts [batch][channels][pixels] to [batch][channels / block][pixels][block].
/// Errors: std::invalid_argument where `block` does not divide the channels or the size is another.
[[nodiscard]] inline std::vector<float> blocked(std::span<const float> plain, int batch, int channels, int pixels,
                                                int block)
{
    return detail::between("blocked", plain, batch, channels, pixels, block,
                           [](auto& out, auto in, std::size_t from, std::size_t to) { out[to] = in[from]; });
}

/// Converts [batch][channels / block][pixels][block] to [batch][channels][pixels]. Errors: as above.
[[nodiscard]] inline std::vector<float> unblocked(std::span<const float> packed, int batch, int channels, int pixels,
                                                  int block)
{
    return detail::between("unblocked", packed, batch, channels, pixels, block,
                           [](auto& out, auto in, std::size_t to, std::size_t from) { out[to] = in[from]; });
}

/// Converts a convolution's weights [co][ci][kh][kw] to [co / oc][ci / ic][kh][kw][ic][oc]. Errors: as above.
[[nodiscard]] inline std::vector<float> blocked(std::span<const float> plain, const conv2d_shape& s, int ic, int oc)
{
    require(ic > 0 && oc > 0 && s.ci % ic == 0 && s.co % oc == 0,
            "autotvm::blocked: a block does not divide its channels, want divisors");
    require(plain.size() == static_cast<std::size_t>(s.weights()),
            "autotvm::blocked: another size than the shape says, want weights()");
    const auto ci = static_cast<std::size_t>(s.ci),
               taps = static_cast<std::size_t>(s.kernel_h) * static_cast<std::size_t>(s.kernel_w);
    const auto in = static_cast<std::size_t>(ic), on = static_cast<std::size_t>(oc);
    std::vector<float> out(plain.size());
    float* to = out.data();
    for (std::size_t o = 0; o < static_cast<std::size_t>(s.co); o += on)
        for (std::size_t i = 0; i < ci; i += in)
            for (std::size_t t = 0; t < taps; ++t)
                for (std::size_t k = 0; k < in; ++k)
                    for (std::size_t l = 0; l < on; ++l) *to++ = plain[((o + l) * ci + i + k) * taps + t];
    return out;
}

}  // namespace autotvm

}  // namespace tunekit::kernels
