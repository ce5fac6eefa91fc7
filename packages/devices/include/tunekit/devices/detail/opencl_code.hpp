// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Files of built OpenCL programs: the resources of each kernel, and the driver's binary.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tunekit::measure::detail {

/// The resources of one kernel, as the driver that built it reports them.
struct opencl_resources {
    std::int64_t max_threads = 0;    ///< the most work-items per work-group
    std::int64_t shared_bytes = 0;   ///< local memory per work-group that its text declares
    std::int64_t private_bytes = 0;  ///< private memory per work-item; 0 where the driver does not say

    friend bool operator==(const opencl_resources&, const opencl_resources&) = default;
};

/// A built program. Its file has lines `kernel NAME max_threads shared_bytes private_bytes`, an empty line, and the
/// binary.
struct opencl_code {
    std::map<std::string, opencl_resources> kernels{};  ///< the resources of each kernel, by its name
    std::string binary{};  ///< for clCreateProgramWithBinary, on the same device and driver

    /// The content of a file.
    [[nodiscard]] std::string text() const
    {
        std::string out;
        for (const auto& [name, k] : kernels)
            out += "kernel " + name + ' ' + std::to_string(k.max_threads) + ' ' + std::to_string(k.shared_bytes) + ' ' +
                   std::to_string(k.private_bytes) + '\n';
        return out + '\n' + binary;
    }

    friend bool operator==(const opencl_code&, const opencl_code&) = default;
};

/// The program in a file's content; empty where it is not a program.
[[nodiscard]] inline std::optional<opencl_code> parse_opencl_code(std::string_view text)
{
    opencl_code out;
    while (!text.empty() && text.front() != '\n') {
        const std::string line(text.substr(0, (std::min)(text.find('\n'), text.size())));
        char name[256] = {};
        opencl_resources k;
        long long threads = 0, shared = 0, own = 0;
        if (line.size() == text.size() ||
            std::sscanf(line.c_str(), "kernel %255s %lld %lld %lld", name, &threads, &shared, &own) != 4)
            return std::nullopt;
        k = {threads, shared, own};
        out.kernels.emplace(name, k);
        text.remove_prefix(line.size() + 1);
    }
    if (text.empty() || out.kernels.empty()) return std::nullopt;
    out.binary = text.substr(1);
    return out;
}

}  // namespace tunekit::measure::detail
