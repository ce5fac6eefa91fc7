// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Conversions between plain layouts and the blocked layouts of AutoTVM's CPU templates.

#include <cstddef>
#include <span>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/kernels/shapes.hpp"

namespace tunekit::kernels::autotvm {

/// Converts [batch][channels][pixels] to [batch][channels / block][pixels][block].
/// Errors: std::invalid_argument where `block` does not divide the channels or the size is another.
[[nodiscard]] inline std::vector<float> blocked(std::span<const float> plain, int batch, int channels, int pixels,
                                                int block)
{
    const auto b = static_cast<std::size_t>(batch), c = static_cast<std::size_t>(channels),
               p = static_cast<std::size_t>(pixels);
    const auto in = static_cast<std::size_t>(block);
    require(block > 0 && c % in == 0, "autotvm::blocked: the block does not divide the channels, want a divisor");
    require(plain.size() == b * c * p,
            "autotvm::blocked: another size than the shape says, want batch x channels x pixels");
    std::vector<float> out(plain.size());
    for (std::size_t n = 0; n < b * c / in; ++n)
        for (std::size_t k = 0; k < in; ++k)
            for (std::size_t q = 0; q < p; ++q) out[(n * p + q) * in + k] = plain[(n * in + k) * p + q];
    return out;
}

/// Converts [batch][channels / block][pixels][block] to [batch][channels][pixels]. Errors: as above.
[[nodiscard]] inline std::vector<float> unblocked(std::span<const float> packed, int batch, int channels, int pixels,
                                                  int block)
{
    const auto b = static_cast<std::size_t>(batch), c = static_cast<std::size_t>(channels),
               p = static_cast<std::size_t>(pixels);
    const auto in = static_cast<std::size_t>(block);
    require(block > 0 && c % in == 0, "autotvm::unblocked: the block does not divide the channels, want a divisor");
    require(packed.size() == b * c * p,
            "autotvm::unblocked: another size than the shape says, want batch x channels x pixels");
    std::vector<float> out(packed.size());
    for (std::size_t n = 0; n < b * c / in; ++n)
        for (std::size_t k = 0; k < in; ++k)
            for (std::size_t q = 0; q < p; ++q) out[(n * in + k) * p + q] = packed[(n * p + q) * in + k];
    return out;
}

/// Converts a convolution's weights [co][ci][kh][kw] to [co / oc][ci / ic][kh][kw][ic][oc]. Errors: as above.
[[nodiscard]] inline std::vector<float> blocked_weights(std::span<const float> plain, const conv2d_shape& s, int ic,
                                                        int oc)
{
    require(ic > 0 && oc > 0 && s.ci % ic == 0 && s.co % oc == 0,
            "autotvm::blocked_weights: a block does not divide its channels, want divisors");
    require(plain.size() == static_cast<std::size_t>(s.weights()),
            "autotvm::blocked_weights: another size than the shape says, want weights()");
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

/// Converts a dense layer's weights [n][k] to [n / width][k][width]. Errors: as above.
[[nodiscard]] inline std::vector<float> panels(std::span<const float> plain, int n, int k, int width)
{
    return blocked(plain, 1, n, k, width);
}

}  // namespace tunekit::kernels::autotvm
