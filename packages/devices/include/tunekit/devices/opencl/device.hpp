// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The OpenCL devices of this machine and their limits, found without the use of OpenCL in this process.

#include <array>
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/devices/detail/asked_in_child.hpp"
#include "tunekit/devices/detail/launch_limits.hpp"
#include "tunekit/devices/detail/opencl_driver.hpp"

namespace tunekit::measure {

/// A device and its limits.
struct opencl_device {
    int index = 0;  ///< its number among the devices of all platforms, from 0, in the order in which OpenCL lists them
    int units = 1;  ///< compute units
    std::int64_t threads = 1;                    ///< the most work-items per work-group
    std::array<std::int64_t, 3> block{1, 1, 1};  ///< the most work-items of a work-group in x, y, z
    std::int64_t shared_bytes = 0;               ///< local memory per work-group
    std::size_t cache_bytes = 0;                 ///< of the cache of global memory; else 0
    std::size_t memory_bytes = 0;                ///< of global memory, used or free
    std::int64_t timer_ns = 1;                   ///< the step of its events' times, in nanoseconds
    bool half = false;                           ///< whether kernels may calculate in half precision (cl_khr_fp16)
    std::string name{};                          ///< as the driver gives it
    std::string version{};                       ///< of OpenCL and of the driver, which contains the compiler

    /// The limits of a launch of a kernel that may have `kernel_threads` work-items in a group (0: not known).
    [[nodiscard]] detail::launch_limits limits(std::int64_t kernel_threads = 0) const
    {
        constexpr std::int64_t most = std::int64_t{1} << 31;
        return {.grid = {most, most, most},
                .block = block,
                .threads = kernel_threads != 0 && kernel_threads < threads ? kernel_threads : threads,
                .shared_bytes = shared_bytes,
                .a_block = "work-group",
                .a_thread = "work-item",
                .shared = "local"};
    }

    friend bool operator==(const opencl_device&, const opencl_device&) = default;
};

namespace detail {

/// A device as the library names it.
struct opencl_place {
    opencl_driver::handle platform = nullptr, device = nullptr;
};

/// The devices of all platforms. It begins OpenCL. Throws no_device on a machine without one.
inline std::vector<opencl_place> begin_opencl(const opencl_driver& cl)
{
    std::uint32_t n = 0;
    const int code = cl.platforms(0, nullptr, &n);
    if (code != 0 || n == 0)
        throw no_device(
            "no OpenCL platform: the loader finds no driver; install one (Debian: pocl-opencl-icd runs on any "
            "processor), or look "
            "at OCL_ICD_VENDORS");
    std::vector<opencl_driver::handle> platforms(n);
    cl.check(cl.platforms(n, platforms.data(), nullptr), "clGetPlatformIDs");
    std::vector<opencl_place> out;
    for (const auto p : platforms) {
        std::uint32_t k = 0;
        if (cl.devices(p, cl_all_devices, 0, nullptr, &k) != 0 || k == 0) continue;
        std::vector<opencl_driver::handle> devices(k);
        cl.check(cl.devices(p, cl_all_devices, k, devices.data(), nullptr), "clGetDeviceIDs");
        for (const auto d : devices) out.push_back({p, d});
    }
    if (out.empty()) throw no_device("no OpenCL device: " + std::to_string(n) + " platforms have none; look at clinfo");
    return out;
}

/// The place of device `k`. Throws no_device where no device has that number.
inline opencl_place find_place(const opencl_driver& cl, int k)
{
    const auto all = begin_opencl(cl);
    if (k < 0 || static_cast<std::size_t>(k) >= all.size())
        throw no_device("no OpenCL device " + std::to_string(k) + ": want 0 to " + std::to_string(all.size() - 1));
    return all[static_cast<std::size_t>(k)];
}

/// A device, as the library describes it.
inline opencl_device describe(const opencl_driver& cl, const opencl_place& at, int k)
{
    const auto size = [&](opencl_number what) { return cl.number<std::size_t>(cl.device_info, at.device, what); };
    const auto items = cl.number<std::array<std::size_t, 3>>(cl.device_info, at.device, cl_device_item_sizes);
    const auto bytes = [&](opencl_number what) { return cl.number<std::uint64_t>(cl.device_info, at.device, what); };
    return {.index = k,
            .units = static_cast<int>(cl.number<std::uint32_t>(cl.device_info, at.device, cl_device_units)),
            .threads = static_cast<std::int64_t>(size(cl_device_group_size)),
            .block = {static_cast<std::int64_t>(items[0]), static_cast<std::int64_t>(items[1]),
                      static_cast<std::int64_t>(items[2])},
            .shared_bytes = static_cast<std::int64_t>(bytes(cl_device_local_bytes)),
            .cache_bytes = static_cast<std::size_t>(bytes(cl_device_cache_bytes)),
            .memory_bytes = static_cast<std::size_t>(bytes(cl_device_memory_bytes)),
            .timer_ns = static_cast<std::int64_t>(size(cl_device_timer_ns)),
            .half = cl.text(cl.device_info, at.device, cl_device_extensions).find("cl_khr_fp16") != std::string::npos,
            .name = cl.text(cl.device_info, at.device, cl_device_name),
            .version = cl.text(cl.device_info, at.device, cl_device_version) + ", " +
                       cl.text(cl.platform_info, at.platform, cl_platform_version) + ", driver " +
                       cl.text(cl.device_info, at.device, cl_device_driver)};
}

/// The text with blanks in place of line ends and tabs.
inline std::string one_line(std::string text)
{
    for (char& c : text)
        if (c == '\n' || c == '\t') c = ' ';
    return text;
}

inline std::optional<opencl_device> parse_opencl_device(const std::string& line)
{
    opencl_device d;
    int rest = 0, half = 0;
    if (std::sscanf(line.c_str(),
                    "device %d %d %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %zu %zu %" SCNd64
                    " %d\t%n",
                    &d.index, &d.units, &d.threads, &d.block[0], &d.block[1], &d.block[2], &d.shared_bytes,
                    &d.cache_bytes, &d.memory_bytes, &d.timer_ns, &half, &rest) != 11 ||
        rest == 0)
        return std::nullopt;
    const std::string texts = line.substr(static_cast<std::size_t>(rest));
    const std::size_t tab = texts.find('\t');
    if (tab == std::string::npos) return std::nullopt;
    d.half = half != 0;
    d.name = texts.substr(0, tab);
    d.version = texts.substr(tab + 1);
    return d;
}

/// The devices of this machine. A child process asks for them, so that workers forked later may still begin OpenCL.
/// `library` is the loader; empty: the system's. Throws no_device, in one line, where there is no loader, no platform
/// or no device, and where there is no answer within `seconds`.
[[nodiscard]] inline std::vector<opencl_device> opencl_devices(const std::string& library = {}, double seconds = 30)
{
    return devices_in_child(
        [&library] {
            const opencl_driver cl(library);
            const auto all = begin_opencl(cl);
            for (std::size_t k = 0; k < all.size(); ++k) {
                const opencl_device d = describe(cl, all[k], static_cast<int>(k));
                ::dprintf(1,
                          "device %d %d %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %zu %zu %" PRId64
                          " %d\t%s\t%s\n",
                          d.index, d.units, d.threads, d.block[0], d.block[1], d.block[2], d.shared_bytes,
                          d.cache_bytes, d.memory_bytes, d.timer_ns, d.half ? 1 : 0, one_line(d.name).c_str(),
                          one_line(d.version).c_str());
            }
            return 0;
        },
        parse_opencl_device, "no OpenCL device", seconds);
}

}  // namespace detail

/// The only device of this machine whose name contains `name`, in capitals or not. Throws no_device, with the names
/// that there are, where none or several do.
[[nodiscard]] inline opencl_device find_opencl_device(std::string_view name, const std::string& library = {})
{
    return detail::device_named(detail::opencl_devices(library), name, "OpenCL");
}

/// Device `index` of this machine. Throws no_device where no device has that number.
[[nodiscard]] inline opencl_device find_opencl_device(int index = 0, const std::string& library = {})
{
    auto all = detail::opencl_devices(library);
    if (index < 0 || static_cast<std::size_t>(index) >= all.size())
        throw no_device("no OpenCL device " + std::to_string(index) + ": want 0 to " + std::to_string(all.size() - 1));
    return std::move(all[static_cast<std::size_t>(index)]);
}

}  // namespace tunekit::measure
