// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The clock rates at which a device ran, and the reasons for lower ones, as NVML reports them.

#include <optional>
#include <string>
#include <utility>

#include "tunekit/devices/library.hpp"

namespace tunekit::measure {

/// The clock rates and the throttling seen on a device during a run. They are read right after a candidate, so that an
/// idle device does not hide them.
struct cuda_conditions {
    unsigned samples = 0;               ///< readings so far; 0: nothing is known
    unsigned min_mhz = 0, max_mhz = 0;  ///< lowest and highest clock rate of the multiprocessors
    unsigned long long held_back = 0;   ///< all of NVML's reasons for lower clocks that were seen, as its bits

    /// Adds a reading: a clock rate and NVML's reasons at that moment.
    void add(unsigned mhz, unsigned long long reasons) noexcept
    {
        min_mhz = samples == 0 || mhz < min_mhz ? mhz : min_mhz;
        max_mhz = mhz > max_mhz ? mhz : max_mhz;
        held_back |= reasons;
        ++samples;
    }
    /// Adds all readings of another one.
    void add(const cuda_conditions& other) noexcept
    {
        if (other.samples == 0) return;
        add(other.min_mhz, other.held_back);
        add(other.max_mhz, other.held_back);
        samples += other.samples - 2;
    }

    /// Whether heat, power or the board held the device back. Idling and a chosen clock do not count.
    [[nodiscard]] bool throttled() const noexcept { return (held_back & 0xECU) != 0; }

    /// The conditions in one line, such as "1410 to 1980 MHz, held back by: power cap".
    [[nodiscard]] std::string text() const
    {
        if (samples == 0) return "clocks not observed";
        std::string out = std::to_string(min_mhz) + " to " + std::to_string(max_mhz) + " MHz";
        constexpr std::pair<unsigned, const char*> reasons[] = {{0x04, "power cap"},
                                                                {0x08, "hardware slowdown"},
                                                                {0x20, "heat (software)"},
                                                                {0x40, "heat (hardware)"},
                                                                {0x80, "power brake"}};
        const char* before = ", held back by: ";
        for (const auto& [bit, name] : reasons)
            if ((held_back & bit) != 0) {
                out += before;
                out += name;
                before = ", ";
            }
        return out;
    }

    friend bool operator==(const cuda_conditions&, const cuda_conditions&) = default;
};

namespace detail {

/// NVML on one device. It reads nothing where there is no NVML. It does not begin CUDA, so a process that forks workers
/// may use it. Move-only.
class cuda_clocks {
public:
    /// Opens the device with a bus identity, cuda_device::bus. `library` is libnvidia-ml; empty: the system's. It does
    /// not throw where it is missing.
    explicit cuda_clocks(const std::string& bus, const std::string& library = {})
    {
        try {
            nvml_.emplace(library, std::vector<std::string>{"libnvidia-ml.so.1"}, "NVML", "install NVIDIA's driver");
            int (*init)() = nullptr;
            int (*find)(const char*, void**) = nullptr;
            init = nvml_->find("nvmlInit_v2");
            find = nvml_->find("nvmlDeviceGetHandleByPciBusId_v2");
            clock_ = nvml_->find("nvmlDeviceGetClockInfo");
            try {
                reasons_ = nvml_->find("nvmlDeviceGetCurrentClocksThrottleReasons");
            } catch (const no_cuda&) {
                reasons_ = nvml_->find("nvmlDeviceGetCurrentClocksEventReasons");  // its name in newer versions
            }
            if (init() != 0 || find(bus.c_str(), &device_) != 0) device_ = nullptr;
        } catch (const no_cuda&) {
            device_ = nullptr;
        }
    }

    /// Whether NVML was found and knows the device.
    [[nodiscard]] bool watching() const noexcept { return device_ != nullptr; }

    /// Adds the present clock rate and reasons; nothing where NVML does not give them.
    void look(cuda_conditions& to) const
    {
        constexpr int multiprocessors = 1;  // NVML_CLOCK_SM
        unsigned mhz = 0;
        unsigned long long reasons = 0;
        if (device_ == nullptr || clock_(device_, multiprocessors, &mhz) != 0) return;
        if (reasons_(device_, &reasons) != 0) reasons = 0;
        to.add(mhz, reasons);
    }

private:
    std::optional<cuda_library> nvml_{};
    void* device_ = nullptr;  ///< nvmlDevice_t
    int (*clock_)(void*, int, unsigned*) = nullptr;
    int (*reasons_)(void*, unsigned long long*) = nullptr;
};

}  // namespace detail
}  // namespace tunekit::measure
