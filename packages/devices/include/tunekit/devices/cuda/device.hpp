// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The CUDA devices of this machine and their limits, found without the use of CUDA in this process.

#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tunekit/devices/detail/asked_in_child.hpp"
#include "tunekit/devices/detail/cuda_driver.hpp"

namespace tunekit::measure {

/// A CUDA device and its limits. The defaults hold for every device of compute capability 5.0 and more.
struct cuda_device {
    int index = 0;                         ///< its number for the driver, from 0
    int major = 5, minor = 0;              ///< compute capability
    int processors = 1;                    ///< streaming multiprocessors
    int threads = 1024;                    ///< the most per block
    int registers = 65536;                 ///< the most per block
    std::size_t shared_bytes = 49152;      ///< per block, without a special request
    std::size_t max_shared_bytes = 49152;  ///< per block, with a request: dynamic shared memory only
    std::size_t cache_bytes = 0;           ///< of the second level
    std::size_t memory_bytes = 0;          ///< of device memory, used or free
    int mode = 0;                          ///< compute mode: 0 shared; 2 prohibited; 3 for one process at a time
    std::string bus{};                     ///< PCI bus identity, such as "0000:65:00.0"; "-" where it is not known
    std::string name{};                    ///< product name, as the driver gives it

    /// The name of the architecture as `nvrtc_builder` takes it, such as "sm_80"; Hopper's is "sm_90a", with the
    /// instructions that no other has.
    [[nodiscard]] std::string architecture() const
    {
        const int number = 10 * major + minor;
        return "sm_" + std::to_string(number) + (number == 90 ? "a" : "");
    }

    friend bool operator==(const cuda_device&, const cuda_device&) = default;
};

namespace detail {

/// Attributes of a device, by CUdevice_attribute.
enum cuda_attribute : int {
    max_threads_per_block = 1,
    max_shared_per_block = 8,
    max_registers_per_block = 12,
    multiprocessors = 16,
    l2_cache_bytes = 38,
    compute_mode = 20,
    capability_major = 75,
    capability_minor = 76,
    max_shared_per_block_optin = 97,
};

/// Device `k`, as the driver describes it. Precondition: cuInit was called.
inline cuda_device describe(const detail::cuda_driver& cuda, int k)
{
    detail::cuda_driver::device d = 0;
    cuda.check(cuda.device_get(&d, k), "cuDeviceGet");
    const auto ask = [&](cuda_attribute which) {
        int value = 0;
        cuda.check(cuda.device_attribute(&value, which, d), "cuDeviceGetAttribute");
        return value;
    };
    cuda_device out{.index = k,
                    .major = ask(capability_major),
                    .minor = ask(capability_minor),
                    .processors = ask(multiprocessors),
                    .threads = ask(max_threads_per_block),
                    .registers = ask(max_registers_per_block),
                    .shared_bytes = static_cast<std::size_t>(ask(max_shared_per_block)),
                    .max_shared_bytes = static_cast<std::size_t>(ask(max_shared_per_block_optin)),
                    .cache_bytes = static_cast<std::size_t>(ask(l2_cache_bytes)),
                    .mode = ask(compute_mode)};
    char text[256] = {};
    cuda.check(cuda.device_memory(&out.memory_bytes, d), "cuDeviceTotalMem");
    cuda.check(cuda.device_bus(text, sizeof text, d), "cuDeviceGetPCIBusId");
    out.bus = text;
    cuda.check(cuda.device_name(text, sizeof text, d), "cuDeviceGetName");
    out.name = text;
    return out;
}

/// Calls cuInit and returns the number of devices. Throws no_device, with the remedy, on a machine without one.
inline int begin_cuda(const detail::cuda_driver& cuda)
{
    int n = 0;
    const int code = cuda.init(0);
    if (code == 0) cuda.check(cuda.device_count(&n), "cuDeviceGetCount");
    if (code == detail::cuda_driver::no_device || (code == 0 && n == 0))
        throw no_device("no CUDA device: the driver sees none; look at nvidia-smi and CUDA_VISIBLE_DEVICES");
    if (code >= 805 && code <= 810)
        throw no_device("no CUDA device: " + cuda.told(code, "cuInit") +
                        "; MPS is asked for and does not answer: start nvidia-cuda-mps-control, or unset "
                        "CUDA_MPS_PIPE_DIRECTORY");
    if (code != 0) throw no_device("no CUDA device: " + cuda.told(code, "cuInit"));
    return n;
}

inline std::optional<cuda_device> parse_device(const std::string& line)
{
    cuda_device d;
    char bus[64] = {};
    int name = 0;
    if (std::sscanf(line.c_str(), "device %d %d %d %d %d %d %zu %zu %zu %zu %d %63s %n", &d.index, &d.major, &d.minor,
                    &d.processors, &d.threads, &d.registers, &d.shared_bytes, &d.max_shared_bytes, &d.cache_bytes,
                    &d.memory_bytes, &d.mode, bus, &name) != 12 ||
        name == 0)
        return std::nullopt;
    d.bus = bus;
    d.name = line.substr(static_cast<std::size_t>(name));
    return d;
}

/// The devices of this machine. A child process asks for them, so that workers forked later can still begin CUDA.
/// `driver` is the library; empty: the system's. Throws no_device, in one line, where there is no driver or no device,
/// and where the driver does not answer within `seconds`.
[[nodiscard]] inline std::vector<cuda_device> cuda_devices(const std::string& driver = {}, double seconds = 30)
{
    return devices_in_child(
        [&driver] {
            const cuda_driver cuda(driver);
            const int n = begin_cuda(cuda);
            for (int k = 0; k < n; ++k) {
                const cuda_device d = describe(cuda, k);
                ::dprintf(1, "device %d %d %d %d %d %d %zu %zu %zu %zu %d %s %s\n", d.index, d.major, d.minor,
                          d.processors, d.threads, d.registers, d.shared_bytes, d.max_shared_bytes, d.cache_bytes,
                          d.memory_bytes, d.mode, d.bus.empty() ? "-" : d.bus.c_str(), d.name.c_str());
            }
            return 0;
        },
        parse_device, "no CUDA device", seconds);
}

/// The device, where programs may use it.
inline cuda_device usable(cuda_device d)
{
    if (d.mode == 2)
        throw no_device("no CUDA device " + std::to_string(d.index) + ": the compute mode of " + d.name +
                        " is prohibited; set another with nvidia-smi -c, or choose another device");
    return d;
}

}  // namespace detail

/// The only device of this machine whose name contains `name`, in capitals or not. Throws no_device, with the names
/// that there are, where none or several do, and where its compute mode prohibits its use.
[[nodiscard]] inline cuda_device find_cuda_device(std::string_view name, const std::string& driver = {})
{
    return detail::usable(detail::device_named(detail::cuda_devices(driver), name, "CUDA"));
}

/// Finds device `index` of this machine. Throws no_device where no device has that number, and where its compute mode
/// prohibits its use.
[[nodiscard]] inline cuda_device find_cuda_device(int index = 0, const std::string& driver = {})
{
    const auto all = detail::cuda_devices(driver);
    for (const cuda_device& d : all)
        if (d.index == index) return detail::usable(d);
    throw no_device("no CUDA device " + std::to_string(index) + ": want 0 to " + std::to_string(all.size() - 1));
}

}  // namespace tunekit::measure
