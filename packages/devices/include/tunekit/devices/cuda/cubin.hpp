// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The resources that a compiled kernel needs, read from its machine code. No device is needed.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "tunekit/devices/detail/cubin_reader.hpp"

namespace tunekit::measure {

/// The resources that one kernel needs. CUDA's cuFuncGetAttribute gives the same for a loaded kernel.
struct cuda_resources {
    int registers = 0;             ///< per thread; 0: not known
    std::size_t local_bytes = 0;   ///< per thread: values that did not fit into registers, and arrays that are indexed
    std::size_t shared_bytes = 0;  ///< per block, without those that the launch adds
    int max_threads = 0;           ///< per block, from __launch_bounds__; 0: not given

    friend bool operator==(const cuda_resources&, const cuda_resources&) = default;
};

/// The kernels of a cubin by name; empty where the bytes are no cubin. NVIDIA does not document the format. This reads the
/// attributes that cuobjdump and ptxas -v show. Tests compare the values with those of ptxas.
[[nodiscard]] inline std::map<std::string, cuda_resources> cubin_kernels(std::string_view cubin)
{
    constexpr unsigned char max_threads = 0x05, required_threads = 0x10, frame_size = 0x11, least_stack = 0x12;
    constexpr unsigned char registers = 0x2f;
    using detail::cubin_reader;
    const cubin_reader file(cubin);
    std::map<std::string, cuda_resources> out;
    std::size_t symbols = 0;
    std::uint64_t reserved = 0;  // from compute capability 9 on, the size includes the system's own part of a block
    for (std::size_t k = 0; k < file.sections(); ++k) {
        const std::string_view name = file.name(k);
        if (name == ".symtab") symbols = k;
        if (name == ".nv.shared.reserved.0") reserved = 1024;
        if (name.starts_with(".text.")) out[std::string(name.substr(6))] = {};
    }
    const auto whole = [](std::string_view v, std::size_t at) { return cubin_reader::number<std::uint32_t>(v, at); };
    for (std::size_t k = 0; k < file.sections(); ++k) {
        const std::string_view name = file.name(k);
        const auto of = [&](std::string_view prefix) -> cuda_resources* {
            const auto at = name.starts_with(prefix) ? out.find(std::string(name.substr(prefix.size()))) : out.end();
            return at == out.end() ? nullptr : &at->second;
        };
        if (cuda_resources* const mine = of(".nv.shared.")) {
            mine->shared_bytes = static_cast<std::size_t>(file.size(k) > reserved ? file.size(k) - reserved : 0);
        } else if (cuda_resources* const bound = of(".nv.info.")) {
            detail::each_attribute(file.contents(k), [&](unsigned char what, std::string_view v) {
                if ((what == max_threads || what == required_threads) && v.size() >= 12)
                    bound->max_threads = static_cast<int>(whole(v, 0) * whole(v, 4) * whole(v, 8));
            });
        } else if (name == ".nv.info") {
            detail::each_attribute(file.contents(k), [&](unsigned char what, std::string_view v) {
                const auto at = v.size() >= 8 ? out.find(std::string(file.symbol(symbols, whole(v, 0)))) : out.end();
                if (at == out.end()) return;
                const std::uint32_t value = whole(v, 4);
                if (what == registers) at->second.registers = static_cast<int>(value);
                if ((what == frame_size || what == least_stack) && value > at->second.local_bytes)
                    at->second.local_bytes = value;
            });
        }
    }
    return out;
}

/// The resources of `kernel` in the file `cubin`; empty where the file does not give them.
[[nodiscard]] inline std::optional<cuda_resources> cubin_resources(const std::string& cubin, const std::string& kernel)
{
    const auto all = cubin_kernels(detail::read_file(cubin));
    const auto at = all.find(kernel);
    if (at == all.end() || at->second.registers == 0) return std::nullopt;
    return at->second;
}

}  // namespace tunekit::measure
