// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Conversions between plain NCHW and blocks of channels.

#include <cstddef>
#include <span>

namespace tunekit::kernels {

/// The number of channels, rounded up to full blocks of `width`.
[[nodiscard]] constexpr int padded(int channels, int width) noexcept { return (channels + width - 1) / width * width; }

/// Converts [block][channel of the block][pixel] to [block][pixel][channel of the block].
/// Precondition: both hold blocks x width x pixels floats.
inline void pack_channels(std::span<const float> nchw, int blocks, int width, int pixels, std::span<float> blocked)
{
    float* out = blocked.data();
    for (int block = 0; block < blocks; ++block) {
        const float* in = nchw.data() + std::ptrdiff_t{block} * width * pixels;
        for (int p = 0; p < pixels; ++p) {
            for (int i = 0; i < width; ++i) *out++ = in[std::ptrdiff_t{i} * pixels + p];
        }
    }
}

/// Converts [image][ceil(channels / width)][pixel][width] to [image][channel][pixel]. The padding channels of the last
/// block are dropped.
/// Precondition: the spans have those sizes.
inline void unpack_channels(std::span<const float> blocked, int images, int channels, int pixels, int width,
                            std::span<float> nchw)
{
    const int blocks = (channels + width - 1) / width;
    float* out = nchw.data();
    for (int b = 0; b < images; ++b) {
        for (int o = 0; o < channels; ++o) {
            const float* in = blocked.data() + (std::ptrdiff_t{b} * blocks + o / width) * pixels * width + o % width;
            for (int p = 0; p < pixels; ++p) *out++ = in[std::ptrdiff_t{p} * width];
        }
    }
}

}  // namespace tunekit::kernels
