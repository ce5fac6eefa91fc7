// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Conversions between plain NCHW and blocks of channels.

#include <cstddef>
#include <span>
#include <type_traits>

namespace tunekit::kernels::detail {

/// The number of channels, rounded up to full blocks of `width`.
[[nodiscard]] constexpr int padded(int channels, int width) noexcept { return (channels + width - 1) / width * width; }

/// Converts [block][channel of the block][pixel] to [block][pixel][channel of the block].
/// Precondition: both hold blocks x width x pixels elements.
template <class T = float>
void pack_channels(std::span<const std::type_identity_t<T>> nchw, int blocks, int width, int pixels,
                   std::span<std::type_identity_t<T>> blocked)
{
    T* out = blocked.data();
    for (int block = 0; block < blocks; ++block) {
        const T* in = nchw.data() + std::ptrdiff_t{block} * width * pixels;
        for (int p = 0; p < pixels; ++p) {
            for (int i = 0; i < width; ++i) *out++ = in[std::ptrdiff_t{i} * pixels + p];
        }
    }
}

/// Converts [image][ceil(channels / width)][pixel][width] to [image][channel][pixel]. The padding channels of the last
/// block are dropped.
/// Precondition: the spans have those sizes.
template <class T = float>
void unpack_channels(std::span<const std::type_identity_t<T>> blocked, int images, int channels, int pixels, int width,
                     std::span<std::type_identity_t<T>> nchw)
{
    const int blocks = (channels + width - 1) / width;
    T* out = nchw.data();
    for (int b = 0; b < images; ++b) {
        for (int o = 0; o < channels; ++o) {
            const T* in = blocked.data() + (std::ptrdiff_t{b} * blocks + o / width) * pixels * width + o % width;
            for (int p = 0; p < pixels; ++p) *out++ = in[std::ptrdiff_t{p} * width];
        }
    }
}

}  // namespace tunekit::kernels::detail
