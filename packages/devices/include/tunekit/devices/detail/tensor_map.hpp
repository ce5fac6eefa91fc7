// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// CUDA's tensor maps: what one can describe, and one of an array on a device.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tunekit/devices/cuda/session.hpp"
#include "tunekit/devices/detail/cuda_driver.hpp"
#include "tunekit/processes/build/device_source.hpp"

namespace tunekit::measure::detail {

/// A CUtensorMap: opaque, and aligned as the driver and the device want it.
struct alignas(128) cuda_tensor_map {
    std::uint64_t opaque[16];
};

/// Why the driver would not make such a map, in one line; else empty.
/// Source: the CUDA driver API, cuTensorMapEncodeTiled.
[[nodiscard]] inline std::optional<std::string> refused(const device_source::tensor_map& m)
{
    const auto line = [&](const std::string& what, std::int64_t has, const char* want) {
        return "tensor map of argument " + std::to_string(m.argument) + ": " + what + std::to_string(has) + ", want " +
               want;
    };
    const std::size_t rank = m.sizes.size();
    if (rank < 1 || rank > 5) return line("directions are ", static_cast<std::int64_t>(rank), "1 to 5");
    if (m.strides.size() != rank - 1 || m.box.size() != rank)
        return line("strides are ", static_cast<std::int64_t>(m.strides.size()),
                    "one less than sizes, and as many sizes of a box");
    for (const std::int64_t size : m.sizes)
        if (size < 1 || size > std::int64_t{1} << 32) return line("a size is ", size, "1 to 2^32");
    for (const std::int64_t stride : m.strides)
        if (stride < 16 || stride % 16 != 0 || stride >= std::int64_t{1} << 40)
            return line("a stride in bytes is ", stride, "a multiple of 16 below 2^40");
    for (const std::int64_t side : m.box)
        if (side < 1 || side > 256) return line("a side of the box is ", side, "1 to 256");
    const std::int64_t row = m.box[0] * m.element_bytes();
    if (row % 16 != 0) return line("a row of the box in bytes is ", row, "a multiple of 16");
    if (m.swizzle_bytes != 0 && m.swizzle_bytes != 32 && m.swizzle_bytes != 64 && m.swizzle_bytes != 128)
        return line("swizzled bytes are ", m.swizzle_bytes, "0, 32, 64 or 128");
    if (m.swizzle_bytes != 0 && row > m.swizzle_bytes)
        return line("a row of the box in bytes is ", row, "no more than are swizzled");
    return std::nullopt;
}

/// The map of an array that lies at `at` on the device. Throws candidate_error.
[[nodiscard]] inline cuda_tensor_map encoded(const cuda_driver& cuda, const device_source::tensor_map& m, void* at)
{
    if (auto why = refused(m)) throw cuda_failure(cuda_driver::invalid_value, std::move(*why));
    if (cuda.encode_tensor_map == nullptr)
        throw cuda_failure(cuda_driver::invalid_value,
                           "the driver knows no tensor maps, want that of CUDA 12 or later");
    std::uint64_t sizes[5] = {}, strides[5] = {};
    std::uint32_t box[5] = {}, steps[5] = {1, 1, 1, 1, 1};
    for (std::size_t k = 0; k < m.sizes.size(); ++k) {
        sizes[k] = static_cast<std::uint64_t>(m.sizes[k]);
        if (k > 0) strides[k - 1] = static_cast<std::uint64_t>(m.strides[k - 1]);
        box[k] = static_cast<std::uint32_t>(m.box[k]);
    }
    // Of CUtensorMapInterleave, ...L2promotion and ...FloatOOBfill: none, to 128 bytes, zeros.
    constexpr int not_interleaved = 0, by_128_bytes = 2, zeros = 0;
    const int swizzle = m.swizzle_bytes == 0 ? 0 : m.swizzle_bytes == 32 ? 1 : m.swizzle_bytes == 64 ? 2 : 3;
    cuda_tensor_map out{};
    cuda.check(cuda.encode_tensor_map(&out, static_cast<int>(m.type), static_cast<std::uint32_t>(m.sizes.size()), at,
                                      sizes, strides, box, steps, not_interleaved, swizzle, by_128_bytes, zeros),
               "cuTensorMapEncodeTiled");
    return out;
}

}  // namespace tunekit::measure::detail
